// strings.js - all texts of the room Learn, by chapter. ../strings.js loads it when the room is first opened.

export const learn = {
  title: 'Learn',
  lead:
    'Fifteen short chapters, from one word to a whole Transformer. The figures are computed again whenever you edit ' +
    'a number, by the same code that translates.',
  contents: 'Chapters',
  chapter: (/** @type {number} */ number, /** @type {number} */ of) => `Chapter ${number} of ${of}`,
  previous: 'Previous',
  next: 'Next',
  notice: 'Notice',
  failed: 'This chapter could not be shown:',
  loading: 'Loading\u2026',
  needsModel: 'This figure shows the translation model. Load one under Translate.',
  needsInspect: 'The loaded model cannot be inspected here.',
  example: 'The cat sleeps on the sofa because it is tired.',
  edit: 'You can edit every number with a frame: type another one, or use the arrow keys \u2191 and \u2193.',
  reset: 'Restore the numbers',
  startToken: '(start)',

  embeddings: {
    title: 'Words as vectors',
    text: [
      'A Transformer cannot read. It looks up each token in a table with one row of numbers for every entry of its ' +
        'vocabulary: the embedding. Nobody wrote these rows; they are learned with everything else.',
      'Words that are used alike get rows that point in a similar direction. The similarity of two directions is the ' +
        'cosine of the angle between them: 1 for the same direction, 0 for a right angle, \u22121 for opposite ones.',
    ],
    notice:
      'Only the direction of a vector matters for the cosine, not its length: double a row, and nothing changes.',
    vectors: 'Three words, two numbers each',
    similarity: 'Cosine of each pair',
    plane: 'The three vectors as arrows in a plane',
    names: ['cat', 'dog', 'car'],
    real: 'The same with the loaded model',
    words: 'Words, with spaces between them',
    wordsStart: 'Monday Tuesday man woman house cat dog',
    compare: 'Compare',
    near: 'Nearest words in the vocabulary to',
    pieces: (/** @type {string} */ word, /** @type {string[]} */ pieces) =>
      `\u201c${word}\u201d is ${pieces.length} tokens (${pieces.join(' + ')}); this is the mean of their rows.`,
    size: (/** @type {number} */ rows, /** @type {number} */ cols) => `The table has ${rows} rows of ${cols} numbers.`,
    busy: 'Comparing with the whole vocabulary\u2026',
  },

  positions: {
    title: 'The position of a word',
    text: [
      'Attention looks at all words at once and does not know their order. So a pattern that depends only on the ' +
        'position is added to each embedding: sines and cosines, fast ones first, each pair slower than ' +
        'the one before.',
      'Like the hands of a clock, they distinguish positions. They turn evenly, so \u201cthree words further ' +
        'on\u201d is the same rotation everywhere.',
    ],
    notice:
      'Columns of fast waves change from row to row; the slowest hardly change. Neighbouring positions are the ' +
      'most alike, anywhere in the sentence.',
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
    title: 'Attention in its simplest form',
    text: [
      'Every word looks at every word. The dot product of two vectors says how much one word looks at the other; ' +
        'softmax turns each row of products into shares that sum to 1; the new vector of a word is the mix of all ' +
        'vectors with those shares.',
      'This has nothing to learn yet: a word looks at similar words.',
    ],
    notice: 'Give two words the same row: each looks at the other as much as at itself, and their new rows are equal.',
    words: ['the', 'cat', 'sleeps'],
    x: 'x: one row for each word',
    scores: 'x x\u1d40: how alike',
    weights: 'softmax: shares, each row sums to 1',
    output: 'shares \u00d7 x: the new rows',
  },

  qkv: {
    title: 'Query, key, value',
    text: [
      'A word should find more than similar words. So three learned matrices give each word three vectors: a ' +
        'query (what I look for), a key (how others find me), a value (what I pass on to them).',
      'Now \u201csleeps\u201d can ask for a subject, and \u201ccat\u201d can answer, although they are not similar.',
    ],
    notice:
      'Change W_V: the shares stay the same, and only the output changes. Change W_Q: the shares change.',
    words: ['the', 'cat', 'sleeps'],
    x: 'x',
    weights: 'Shares: row looks at column',
    output: 'Output',
  },

  scaled: {
    title: 'Why divide by \u221ad_k',
    text: [
      'A dot product of d_k numbers is a sum of d_k terms. If each is of size 1, the sum is of size \u221ad_k: ' +
        'longer vectors give larger scores, although nothing is more similar.',
      'Softmax of large numbers gives nearly everything to one word. There it is flat, and a model cannot learn. ' +
        'Dividing by \u221ad_k keeps scores at size 1 for every length.',
    ],
    notice:
      'Without the division, one bar takes everything as d_k grows. With it, the bars stay about as even as before.',
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
      'Softmax turns any row of numbers into shares: e to the power of each, divided by their sum. All are positive, ' +
        'they sum to 1, and the order stays the same.',
      'Only differences count: add 10 to every number and nothing changes. Dividing by a temperature first makes the ' +
        'differences smaller (warm, even shares) or larger (cold, the winner takes all).',
    ],
    notice:
      'At temperature 1, two numbers that differ by 0.69 (ln 2) always have shares that differ by a factor of 2.',
    numbers: 'Numbers',
    exponentials: 'e to the power of number \u00f7 temperature',
    temperature: 'Temperature',
    shares: 'Shares',
    sum: (/** @type {string} */ sum) => `Sum of the exponentials: ${sum}`,
  },

  'by-hand': {
    title: 'Attention worked out by hand',
    text: [
      'Four words with six features each. Three matrices make queries, keys and values of three numbers. A query ' +
        'says what a word looks for, a key what it offers, and a value what it gives.',
      'All numbers are small and whole, so you can follow each step with a pencil. Then \u230ax/2\u230b is close ' +
        'enough to x/\u221a3, and 3 to the power of x to e to the power of x: both round numbers show what happens.',
    ],
    notice:
      'Rounded numbers change the shares a little, but the word that gets most is nearly always the same.',
    words: ['the', 'cat', 'drinks', 'milk'],
    x: 'X: four words, six features',
    arithmetic: 'Numbers',
    exact: 'exact: x/\u221a3 and e\u02e3',
    round: 'by hand: \u230ax/2\u230b and 3\u02e3',
    back: 'Back',
    next: 'Next step',
    step: (/** @type {number} */ step, /** @type {number} */ of) => `Step ${step} of ${of}.`,
    steps: [
      'Each row of X times W_Q, W_K and W_V: the query, the key and the value of a word.',
      'Each query times each key: how well what the row looks for fits what the column offers.',
      'Divided by \u221ad_k = \u221a3.',
      'e to the power of each.',
      'Each row divided by its sum: the shares.',
      'Each word\u2019s new row: the values of all words, weighted with its shares.',
    ],
    roundSteps: ['', '', 'Half of each, rounded down, instead of dividing by \u221a3.', '3 to the power of each.'],
    scores: 'Q K\u1d40',
    divided: 'Scaled',
    powers: 'Powers',
    weights: 'Shares: row looks at column',
    output: 'Shares \u00d7 V',
  },

  masking: {
    title: 'Not looking ahead',
    text: [
      'The decoder writes from left to right. In training it is given the whole right answer, so it must not read ' +
        'the word that it has to guess: the scores of later words are set to \u2212\u221e.',
      'e to the power of \u2212\u221e is exactly 0, so masked words get no share, and the rest of the row still ' +
        'sums to 1.',
    ],
    notice:
      'With the mask on, edit a number above the diagonal: nothing changes. The first word can only look at itself.',
    words: ['(start)', 'Die', 'Katze', 'schl\u00e4ft'],
    scores: 'Scores',
    masked: 'After the mask',
    weights: 'Shares',
    mask: 'Mask',
    on: 'on: only earlier words',
    off: 'off: all words',
  },

  'multi-head': {
    title: 'Several heads',
    text: [
      'One softmax gives one set of shares. A word that looks for its subject and its adjective at the same time ' +
        'needs two. So the d_model numbers are divided into heads: each has its own queries, keys, values and ' +
        'shares.',
      'One more matrix, W_O, mixes their outputs. All heads together cost no more than one large head.',
    ],
    notice: 'Both heads read the same words and matrices, but their shares differ, because each uses other columns.',
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
      'The decoder asks and the encoder answers: queries come from the words so far, keys and values from the ' +
        'source sentence. This is the only way from one language to the other.',
      'There is one row per word of the translation and one column per word of the source. There is no mask: the ' +
        'whole source may be read at any time.',
    ],
    notice: 'The keys belong to the source: edit one, and a whole column of shares changes, for every target word.',
    source: ['the', 'black', 'cat'],
    target: ['die', 'schwarze'],
    queries: 'Q: from the decoder',
    keys: 'K: from the encoder',
    values: 'V: from the encoder',
    weights: 'Shares',
    output: 'The new row of each target word',
    real: 'Your sentence: cross attention of one head',
    layer: 'Layer',
    head: 'Head',
    openHint: 'Choose a cell to see the sum behind it.',
    rows: 'rows: the word being predicted; columns: the source',
  },

  ffn: {
    title: 'The rest of a layer',
    text: [
      'After attention has mixed the words, a small network of two matrices processes each word separately: it makes ' +
        'the row wider, applies a bend (the activation), and makes it narrow again.',
      'Both have a residual connection: the result is added to the input, so a layer only has to learn a ' +
        'change. LayerNorm gives each row mean 0 and variance 1. The paper applies it after the addition ' +
        '(post-norm); many later models apply it before the sublayer (pre-norm).',
    ],
    notice:
      'Multiply a row of x by ten: with post-norm the result stays small; with pre-norm the large row goes straight ' +
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
    curve: 'The bend: output for each input',
    input: 'in',
    outcome: 'out',
  },

  model: {
    title: 'The whole model',
    text: [
      'The encoder, on the left, reads the source. It has N layers of attention and a feed-forward network. The ' +
        'decoder, on the right, has one more part, which reads the encoder output. It ends in a share for each token ' +
        'of the vocabulary.',
      'Each box shows the numbers that the loaded model computes there for your sentence.',
    ],
    notice: 'Input and output of every layer have the shape [words, d_model]. So layers can be stacked.',
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
      'decoder.ssru': 'Recurrent unit',
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
    tokens: 'Tokens and their ids in the vocabulary',
    fedIn: 'A row has the name of its input token; it predicts the next one.',
    top: 'The five most likely tokens at each position',
    place: 'after',
    empty: 'Choose a box.',
    map: (/** @type {string} */ name) => `Heat map of ${name}`,
    sum: 'Choose a cell to see the sum behind it.',
    move: 'Drag or use the arrow keys to move, + and \u2212 to zoom.',
    column: (/** @type {number} */ i) => `${i}`,
  },

  objective: {
    title: 'What training lowers',
    text: [
      'A model in training is given the right words so far, even where it would have written others: teacher ' +
        'forcing. For each place it gives every word a probability. Its loss is \u2212log p of the right word.',
      'With label smoothing the right word is wanted with a little less than 1, and all others with a little. So the ' +
        'model need not push its scores ever further apart. The gradient is simply what it said minus what was wanted.',
    ],
    notice:
      'Raise the score of the right word: with smoothing the loss falls, and then rises again. Too sure is wrong, ' +
      'too.',
    words: ['Katze', 'Hund', 'Maus', 'Haus'],
    logits: 'Scores of the words',
    right: 'The right word',
    smoothing: 'Label smoothing',
    p: 'What the model says',
    wanted: 'What is wanted',
    gradient: 'Gradient of each score: said \u2212 wanted',
    loss: (/** @type {string} */ loss, /** @type {string} */ p) => `Loss ${loss}. The right word has p = ${p}.`,
    forced: 'Teacher forcing: the loaded model and its own translation',
    forcedText: 'Each row is fed all words up to its own, and has to predict the next one.',
    columns: ['fed last', 'to predict', 'p', '\u2212log p'],
    mean: (/** @type {string} */ mean) => `Mean loss ${mean} per token`,
    schedule: 'How fast it learns: the learning rate',
    warmup: 'Warm-up, steps',
    step: 'step',
    rate: 'learning rate',
    peak: (/** @type {string} */ rate, /** @type {number} */ step) => `It rises to ${rate} at step ${step}, then falls`,
  },

  decoding: {
    title: 'Choosing the words',
    text: [
      'The model gives probabilities; a search makes a sentence of them. Greedy search takes the best next word each ' +
        'time. Beam search follows several beginnings at once, so a second-best first word can still win.',
      'Longer sentences multiply more probabilities, so they are always less probable. Dividing the log-probability ' +
        'by the length to the power of \u03b1 makes up for that.',
    ],
    notice:
      'With one beam the search takes \u201cA\u201d first. With two it finds \u201cThe cat\u201d, which is more ' +
      'probable as a whole.',
    startWord: '(start)',
    first: ['A', 'The'],
    second: ['dog', 'cat'],
    end: '(end)',
    after: (/** @type {string} */ word) => `Probabilities after ${word}`,
    afterThat: 'Probabilities after the first word. Rows are divided by their sum',
    beams: 'Beams',
    penalty: 'Length penalty',
    step: (/** @type {number} */ step) => `Step ${step}: p of each beginning; \u2713 goes on`,
    best: (/** @type {string} */ best, /** @type {string} */ p, /** @type {string} */ score) =>
      `Found: \u201c${best}\u201d, p = ${p}, score ${score}.`,
    greedy: (/** @type {string} */ best) => `Greedy search finds \u201c${best}\u201d.`,
    see: 'See the beams of your own sentence',
  },

  train: {
    title: 'Train one yourself',
    text: [
      'A Transformer of 2 + 2 layers with 64 numbers per word starts with random weights. Its task is to write a ' +
        'string of digits backwards. It learns only from examples, and from how wrong it was in each.',
      'To write the first digit, it has to look at the last one. Watch how its cross attention learns this.',
    ],
    notice:
      'Pure guessing gives a loss of 2.30. As the loss falls, a diagonal from corner to corner appears in the map of ' +
      'one layer: each written digit looks at its own source.',
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
    random: 'Guessing one of ten digits has a loss of ln 10 = 2.30.',
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
    unscaled: 'This model does not divide the sum by \u221ad_k: its weights were trained without.',
    bias: (/** @type {number} */ distance) => `Position bias of this head at distance ${distance}`,
    biased: 'Score: both added',
    biasNote:
      'This model has no position vectors. Each head adds a number of its own to the score, which depends only on ' +
      'how far the key is from the query; all layers of this side share it.',
    masked: 'This key comes after the query: the mask sets the score to \u2212\u221e and the share to 0.',
    allowed: 'The mask lets this key through.',
    softmax: 'Softmax over the row',
    token: 'token',
    score: 'score',
    power: 'e^(score \u2212 max)',
    share: 'share',
    scoreOf: (/** @type {string} */ token) => `score of ${token}`,
    softmaxNote: 'Choose a token to see its own sum. Type another score: the shares and the output follow.',
    edited: (/** @type {string} */ map) => `With your score. In the model\u2019s map: ${map}.`,
    again: 'The model\u2019s own scores',
    rowSum: 'Sum',
    values: 'Values, weighted and added up',
    valuesNote:
      'From top to bottom: the value vector of this token; the vector times its share; the sum over all tokens, ' +
      'which is the output of this head.',
    thisValue: 'share \u00d7 v',
    mixed: 'sum',
    number: 'number',
    check: (/** @type {string} */ here, /** @type {string} */ map) =>
      `Computed step by step: ${here}. In the model\u2019s map: ${map}.`,
    differs: 'The last printed digit differs, because this sum uses 64-bit numbers and the model 32-bit numbers.',
    int8:
      'This model computes in int8: q, k and v come from products of 8-bit weights with activations rounded to 7 ' +
      'bits. The numbers above include this rounding. From here on (q \u00b7 k, softmax and the weighted ' +
      'sum) everything is 32-bit floating point, so the steps agree.',
    f32: 'This model computes in 32-bit floating point throughout.',
    hidden: (/** @type {number} */ count) => `and ${count} more tokens with a share of`,
  },
};
