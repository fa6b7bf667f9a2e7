// strings.js - every word of the room Learn, by chapter. Fetched by ../strings.js when it is first opened.

export const learn = {
  title: 'Learn',
  lead:
    'Twelve short chapters from a word to a whole Transformer. The numbers in the figures are computed as you edit ' +
    'them, by the same code that translates.',
  contents: 'Chapters',
  chapter: (/** @type {number} */ number, /** @type {number} */ of) => `Chapter ${number} of ${of}`,
  previous: 'Previous',
  next: 'Next',
  notice: 'Notice',
  failed: 'This chapter could not be shown:',
  loading: 'Loading\u2026',
  needsModel: 'This figure looks into the translation model. Load one in the room Translate.',
  needsInspect: 'The model that is loaded cannot be looked into here.',
  example: 'The cat sleeps on the sofa because it is tired.',
  edit: 'Every number with a frame can be edited: type another, or use the arrow keys \u2191 and \u2193.',
  reset: 'Start numbers again',
  startToken: '(start)',

  embeddings: {
    title: 'Words as vectors',
    text: [
      'A Transformer cannot read. It looks each token up in a table with one row of numbers for every entry of its ' +
        'vocabulary: the embedding. Nobody wrote these rows; they are learned with everything else.',
      'Words that are used alike end up with rows that point the same way. How alike two directions are is the ' +
        'cosine of the angle between them: 1 for the same direction, 0 for a right angle, \u22121 for opposite ones.',
    ],
    notice:
      'The length of a vector does not matter for its cosine, only its direction: double a row and nothing changes.',
    vectors: 'Three words, two numbers each',
    similarity: 'Cosine of each pair',
    plane: 'The three vectors as arrows in a plane',
    names: ['cat', 'dog', 'car'],
    real: 'The same with the model that is loaded',
    words: 'Words, with spaces between them',
    wordsStart: 'Monday Tuesday man woman house cat dog',
    compare: 'Compare',
    near: 'Nearest in the vocabulary to',
    pieces: (/** @type {string} */ word, /** @type {string[]} */ pieces) =>
      `\u201c${word}\u201d is ${pieces.length} tokens (${pieces.join(' + ')}); shown is the mean of their rows.`,
    size: (/** @type {number} */ rows, /** @type {number} */ cols) => `The table has ${rows} rows of ${cols} numbers.`,
    busy: 'Comparing with the whole vocabulary\u2026',
  },

  positions: {
    title: 'Where a word stands',
    text: [
      'Attention looks at all words at once and would not know their order. So a pattern that depends on the ' +
        'position alone is added to each embedding: sines and cosines, fast ones first, each next pair slower than ' +
        'the one before.',
      'Like the hands of a clock they tell positions apart, and because they turn evenly, \u201cthree words further ' +
        'on\u201d is the same rotation everywhere.',
    ],
    notice:
      'The columns of fast waves stripe from row to row; the slowest hardly change. Neighbouring positions are the ' +
      'most alike, wherever they stand.',
    positions: 'Positions',
    width: 'd_model',
    layout: 'Order of the columns',
    layouts: { interleaved: 'sin, cos, sin, cos \u2026 (the paper)', halves: 'all sin, then all cos (Marian)' },
    map: 'The encoding: one row for each position, one column for each number',
    row: 'position',
    column: 'number',
    from: 'Compare with position',
    likeness: (/** @type {number} */ p) => `Cosine of position ${p} and every other`,
    similarity: 'cosine',
  },

  'self-attention': {
    title: 'Attention in its plainest form',
    text: [
      'Let every word look at every word. How much one looks at another is the dot product of their two vectors; ' +
        'softmax turns each row of those into shares that sum to 1; the new vector of a word is the mixture of all ' +
        'vectors, by those shares.',
      'There is nothing to learn in this: a word looks at what resembles it.',
    ],
    notice: 'Give two words the same row: they look at each other as much as at themselves, and become the same.',
    words: ['the', 'cat', 'sleeps'],
    x: 'x: one row for each word',
    scores: 'x x\u1d40: how alike',
    weights: 'softmax: shares, each row sums to 1',
    output: 'shares \u00d7 x: the new rows',
  },

  qkv: {
    title: 'Query, key, value',
    text: [
      'A word should not only find what resembles it. So each makes three vectors, by three learned matrices: a ' +
        'query (what I look for), a key (what I can be found by), a value (what I give to those who find me).',
      'Now \u201csleeps\u201d can ask for a subject, and \u201ccat\u201d can answer, though the two are not alike at ' +
        'all.',
    ],
    notice:
      'Change W_V: the shares stay as they are, only what is mixed changes. Change W_Q: who looks at whom changes.',
    words: ['the', 'cat', 'sleeps'],
    x: 'x',
    weights: 'Shares: row looks at column',
    output: 'Output',
  },

  scaled: {
    title: 'Why divide by \u221ad_k',
    text: [
      'A dot product of d_k numbers is a sum of d_k terms. If each is of size 1, the sum is of size \u221ad_k: ' +
        'longer vectors give larger scores though nothing is more alike.',
      'Softmax of large numbers is nearly all on one word, and where it is flat nothing can be learned. Dividing by ' +
        '\u221ad_k keeps scores at size 1, whatever the length.',
    ],
    notice:
      'Without the division one bar takes everything as d_k grows; with it the bars stay about as even as they were.',
    dk: 'd_k, numbers in a query and a key',
    again: 'Draw other vectors',
    histogram: (/** @type {number} */ count, /** @type {number} */ dk) =>
      `${count} dot products of random vectors of ${dk} numbers`,
    score: 'q \u00b7 k',
    count: 'how many',
    spread: (/** @type {string} */ found, /** @type {string} */ root) =>
      `Their spread (standard deviation) is ${found}; \u221ad_k is ${root}.`,
    raw: 'softmax of eight of them',
    divided: 'softmax of the same \u00f7 \u221ad_k',
    key: (/** @type {number} */ i) => `key ${i}`,
  },

  softmax: {
    title: 'Softmax',
    text: [
      'Softmax makes shares of any row of numbers: e to the power of each, divided by their sum. All are positive, ' +
        'all together are 1, and the order stays.',
      'Only differences count: add 10 to every number and nothing changes. Dividing by a temperature first makes the ' +
        'differences smaller (warm, even shares) or larger (cold, the winner takes all).',
    ],
    notice:
      'At temperature 1, two numbers that differ by 0.69 (ln 2) have shares that differ by a factor of 2, wherever ' +
      'they stand.',
    numbers: 'Numbers',
    exponentials: 'e to the power of number \u00f7 temperature',
    temperature: 'Temperature',
    shares: 'Shares',
    sum: (/** @type {string} */ sum) => `Sum of the exponentials: ${sum}`,
  },

  masking: {
    title: 'Not looking ahead',
    text: [
      'The decoder writes from left to right. While it learns, the whole right answer lies before it, so it must be ' +
        'kept from reading the word that it is to guess: scores of later words are set to \u2212\u221e.',
      'e to the power of \u2212\u221e is exactly 0, so what is masked takes no share, and the rest of the row still ' +
        'sums to 1.',
    ],
    notice:
      'With the mask on, edit a number above the diagonal: nothing changes. The first word can only look at itself.',
    words: ['(start)', 'Die', 'Katze', 'schl\u00e4ft'],
    scores: 'Scores',
    masked: 'After the mask',
    weights: 'Shares',
    mask: 'Mask',
    on: 'on: only back',
    off: 'off: everywhere',
  },

  'multi-head': {
    title: 'Several heads',
    text: [
      'One softmax makes one set of shares. A word that has to look for its subject and for its adjective at once ' +
        'needs two. So the d_model numbers are cut into heads: each has its own queries, keys and values, and looks ' +
        'its own way.',
      'Their outputs are put side by side and mixed by one more matrix, W_O. It costs no more than one large head.',
    ],
    notice: 'Both heads see the same words and the same matrices, yet their shares differ: each sees other columns.',
    words: ['the', 'cat', 'sleeps', 'well'],
    heads: 'Heads',
    x: 'x: editable, d_model = 4',
    head: (/** @type {number} */ i, /** @type {number} */ from, /** @type {number} */ to) =>
      `Head ${i}: columns ${from}\u2013${to} of Q and K`,
    output: 'Output, after W_O',
    see: 'See all heads of your own sentence',
  },

  cross: {
    title: 'From one language to the other',
    text: [
      'The decoder asks, the encoder answers: queries come from the words written so far, keys and values from the ' +
        'source sentence. This is the only way from one language to the other.',
      'There are as many rows as words in the translation and as many columns as words in the source. No mask: the ' +
        'whole source may be read at any time.',
    ],
    notice: 'The keys belong to the source: edit one and a whole column of shares moves, for every target word.',
    source: ['the', 'black', 'cat'],
    target: ['die', 'schwarze'],
    queries: 'Q: from the decoder',
    keys: 'K: from the encoder',
    values: 'V: from the encoder',
    weights: 'Shares',
    output: 'What each target word takes along',
    real: 'Your sentence: cross attention of one head',
    layer: 'Layer',
    head: 'Head',
    openHint: 'Choose a cell to see the sum behind it.',
    rows: 'rows: the word being predicted; columns: the source',
  },

  ffn: {
    title: 'The rest of a layer',
    text: [
      'After attention has brought words together, a small network of two matrices works on each word alone: wider, ' +
        'a bend (the activation), narrow again.',
      'Around both stands a residual connection: the result is added to what came in, so a layer only has to learn a ' +
        'change. LayerNorm brings each row to mean 0 and variance 1. The paper does so after the addition ' +
        '(post-norm); many later models before the sub-layer (pre-norm).',
    ],
    notice:
      'Multiply a row of x by ten: with post-norm the result stays tame; with pre-norm the large row goes straight ' +
      'through.',
    words: ['cat', 'sleeps'],
    x: 'x',
    inner: 'LayerNorm(x)',
    ffn: { post: 'FFN(x)', pre: 'FFN(LayerNorm(x))' },
    added: 'x + FFN',
    result: { post: 'LayerNorm(x + FFN(x))', pre: 'x + FFN(LayerNorm(x))' },
    order: 'Norm',
    orders: { post: 'after (post-norm)', pre: 'before (pre-norm)' },
    activation: 'Activation',
    curve: 'The bend: what comes out for what goes in',
    input: 'in',
    outcome: 'out',
  },

  model: {
    title: 'The whole model',
    text: [
      'The encoder, left, reads the source: N equal layers, each attention and a feed-forward network. The decoder, ' +
        'right, has one part more, which reads what the encoder made, and ends in a share for each entry of the ' +
        'vocabulary.',
      'Every box opens the numbers that the loaded model computed in it for your sentence.',
    ],
    notice: 'The shape [words, d_model] goes in and comes out of every layer: that is why they can be stacked.',
    norm: 'Norm',
    diagram: 'The Transformer: encoder on the left, decoder on the right. Each box is a button.',
    encoder: 'Encoder',
    decoder: 'Decoder',
    layers: (/** @type {number} */ count) => `${count} \u00d7`,
    boxes: {
      source: 'Source tokens',
      'encoder.embedding': 'Embedding',
      'encoder.positions': 'Positions',
      'encoder.self': 'Self-attention',
      'encoder.norm1': 'Add & norm',
      'encoder.ffn': 'Feed-forward',
      'encoder.norm2': 'Add & norm',
      'encoder.output': 'Encoder output',
      target: 'Target so far',
      'decoder.embedding': 'Embedding',
      'decoder.positions': 'Positions',
      'decoder.self': 'Masked attention',
      'decoder.norm1': 'Add & norm',
      'decoder.cross': 'Cross attention',
      'decoder.norm2': 'Add & norm',
      'decoder.ffn': 'Feed-forward',
      'decoder.norm3': 'Add & norm',
      'decoder.output': 'Decoder output',
      output: 'Next token',
    },
    tensor: 'Tensor',
    layer: 'Layer',
    head: 'Head',
    sentence: 'Sentence',
    shape: (/** @type {readonly number[]} */ shape) => `[${shape.join(' \u00d7 ')}]`,
    range: (/** @type {string} */ low, /** @type {string} */ mean, /** @type {string} */ high) =>
      `least ${low}, mean ${mean}, greatest ${high}`,
    tokens: 'Tokens and their numbers in the vocabulary',
    fedIn: 'The row is named after the token fed in; what it predicts comes next.',
    top: 'The five likeliest tokens at each place',
    place: 'after',
    empty: 'Choose a box.',
    map: (/** @type {string} */ name) => `Heat map of ${name}`,
    sum: 'Choose a cell to see the sum behind it.',
    move: 'Drag or use the arrow keys to move, + and \u2212 to zoom.',
    column: (/** @type {number} */ i) => `${i}`,
  },

  train: {
    title: 'Train one yourself',
    text: [
      'A Transformer of 2 + 2 layers with 64 numbers a word, begun with random weights. Its task: write a string of ' +
        'digits backwards. It is told nothing but examples and, for each, how wrong it was.',
      'To write the first digit it has to look at the last. Watch its cross attention find that out by itself.',
    ],
    notice:
      'Guessing alone gives a loss of 2.30. As the loss falls, a diagonal from corner to corner grows in the map of ' +
      'one layer: each digit being written looks at its own source.',
    start: 'Train',
    stop: 'Stop',
    go: 'Continue',
    again: 'Begin again',
    step: (/** @type {number} */ step, /** @type {number} */ of) => `step ${step} of ${of}`,
    loss: 'loss',
    steps: 'steps',
    curve: 'Loss for each step',
    map: 'Cross attention, mean of the heads',
    status: (
      /** @type {number} */ step,
      /** @type {number} */ of,
      /** @type {string} */ loss,
      /** @type {string} */ right,
    ) => `Step ${step} of ${of}. Loss ${loss}. Reversed without a mistake: ${right}.`,
    idle: 'Not started. It takes half a minute to two minutes; the page stays usable.',
    finished: 'Finished.',
    stopped: 'Stopped.',
    failed: 'Training failed:',
    use: 'Use it',
    digits: 'Digits, 3 to 10 of them',
    answer: 'Its answer',
    right: 'Right.',
    wrong: (/** @type {string} */ expected) => `Wrong; it should be ${expected}.`,
    badDigits: (/** @type {string} */ text) => `Found \u201c${text}\u201d; expected 3 to 10 digits from 0 to 9.`,
    layer: 'Layer',
    end: 'end',
    rows: 'rows: the digit being written; columns: the digits read',
    random: 'A guess among ten digits has a loss of ln 10 = 2.30.',
  },

  sum: {
    title: 'The sum behind one cell',
    close: 'Close',
    loading: 'Computing\u2026',
    failed: 'The sum could not be shown:',
    place: (/** @type {string} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
      `${stack}, layer ${layer}, head ${head}`,
    stacks: { encoder: 'Encoder self-attention', decoder: 'Decoder self-attention', cross: 'Cross attention' },
    asks: (/** @type {string} */ row, /** @type {string} */ col) =>
      `How much \u201c${row}\u201d looks at \u201c${col}\u201d`,
    predicts: (/** @type {string} */ piece) => `This row predicts \u201c${piece}\u201d.`,
    products: 'Query times key, number by number',
    query: 'q',
    key: 'k',
    product: 'q \u00d7 k',
    total: 'Sum: q \u00b7 k',
    scaled: 'Divided by \u221ad_k',
    masked: 'This key comes later than the query: the mask sets the score to \u2212\u221e and the share to 0.',
    allowed: 'The mask lets this key through.',
    softmax: 'Softmax over the row',
    token: 'token',
    score: 'score',
    power: 'e^(score \u2212 max)',
    share: 'share',
    scoreOf: (/** @type {string} */ token) => `score of ${token}`,
    softmaxNote: 'Choose a token for its own sum. Type another score, and the shares and what is passed on follow.',
    edited: (/** @type {string} */ map) => `With a score of yours. In the model\u2019s map: ${map}.`,
    again: 'The model\u2019s own scores',
    rowSum: 'Sum',
    values: 'Values, weighted and added up',
    valuesNote:
      'From top to bottom: the value vector of this token; its share times that; the sum over all tokens, which is ' +
      'what this head passes on.',
    thisValue: 'share \u00d7 v',
    mixed: 'sum',
    number: 'number',
    check: (/** @type {string} */ here, /** @type {string} */ map) =>
      `Computed step by step: ${here}. In the model\u2019s map: ${map}.`,
    differs: 'The last printed digit differs: the sum here is in 64-bit numbers, the model\u2019s in 32-bit.',
    int8:
      'This model computes in int8: q, k and v come from products of 8-bit weights with activations rounded to 7 ' +
      'bits. Their rounding is already in the numbers above. From here on, q \u00b7 k, softmax and the weighted ' +
      'sum, everything is 32-bit floating point, so the steps agree.',
    f32: 'This model computes in 32-bit floating point throughout.',
    hidden: (/** @type {number} */ count) => `and ${count} more tokens with a share of`,
  },
};
