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
  example: 'My sister lives in a small house near the station because she works there.',
  edit: 'You can edit every number with a frame: type another one, or use the arrow keys \u2191 and \u2193.',
  reset: 'Restore the numbers',
  point:
    'Point at a cell, or move to it with the arrow keys: its row and its column light up, and it is worked out here.',
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
    wordsStart: 'Monday Friday mother father three four was were',
    compare: 'Compare',
    near: 'Nearest words in the vocabulary to',
    pieces: (/** @type {string} */ word, /** @type {string[]} */ pieces) =>
      `\u201c${word}\u201d is ${pieces.length} tokens (${pieces.join(' + ')}); this is the mean of their rows.`,
    size: (/** @type {number} */ rows, /** @type {number} */ cols) => `The table has ${rows} rows of ${cols} numbers.`,
    busy: 'Comparing with the whole vocabulary\u2026',
    arrows: {
      title: 'Is a relation a direction?',
      text:
        'If \u201cman\u201d differs from \u201cwoman\u201d as \u201cking\u201d does from \u201cqueen\u201d, the ' +
        'arrows between their vectors are parallel. Here all vectors have length 1, and both arrows are drawn in the ' +
        'plane in which they lie, so that lengths and angle are true.',
      arrow: (/** @type {string} */ one, /** @type {string} */ two) => `${one}, ${two}`,
      choose: 'Arrows',
      words: 'Your own: from, to, from, to',
      draw: 'Draw',
      four: (/** @type {number} */ count) => `Found ${count} words; expected four.`,
      empty: (/** @type {string} */ arrow) => `${arrow}: the arrow has no length, because both words have one vector.`,
      plane: 'Both arrows, each from its own start',
      verdict: (
        /** @type {string} */ one,
        /** @type {string} */ two,
        /** @type {string} */ cosine,
        /** @type {number} */ angle,
      ) => `${one} and ${two}: cosine ${cosine}, an angle of ${angle}\u00b0.`,
      verdicts: {
        parallel: 'They are nearly parallel: the model has learned this relation as a direction.',
        alike:
          'Not parallel, but much closer than chance: two arrows that know nothing of each other have about 90\u00b0.',
        not:
          'They are not parallel: this model has not learned this relation as a direction. It is small, and it needs ' +
          'its rows to translate; nothing in its training asks for such arrows.',
      },
      pairs: (/** @type {string} */ list) => `Cosines of the words themselves: ${list}.`,
      reached: (/** @type {string} */ sum, /** @type {string} */ list) =>
        `Nearest to ${sum}, without these three words: ${list}.`,
    },
    lookup: {
      title: 'From a token to the first layer',
      text:
        'The id of a token is the number of its row in E. The row is multiplied by \u221ad_model, the root of how ' +
        'many numbers it has, so that it is not too small beside the vector of the position, which is added. Some ' +
        'models leave out the factor, and T5 leaves out the position.',
      choose: 'Token',
      token: (/** @type {string} */ piece, /** @type {number} */ id, /** @type {number} */ at) =>
        `\u201c${piece}\u201d has the id ${id} and stands at position ${at}.`,
      row: (/** @type {number} */ id) => `row ${id} of E`,
      scaled: (/** @type {number} */ width) => `\u00d7 \u221a${width}`,
      position: (/** @type {number} */ at) => `+ position ${at}`,
      sum: '= input of layer 1',
      first: (/** @type {number} */ count) => `The first ${count} numbers`,
      map: 'All numbers of the row',
      same: 'The last row is exactly what the model has at encoder.input.',
      differs: 'The model adds more here than position vectors: its own numbers differ from the last row.',
    },
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
    wave: (/** @type {number} */ column) => `Number ${column} of each position: one wave`,
    learned: {
      title: 'Learned beside sinusoidal positions',
      text:
        'Positions can also be learned like words: one row for each position, random at first. A small model learns ' +
        'them here while it learns to write digits backwards. Compare what it finds with the sinusoids.',
      start: 'Learn positions',
      stop: 'Stop',
      go: 'Continue',
      idle: 'Not started. It takes about ten seconds.',
      status: (/** @type {number} */ step, /** @type {number} */ of, /** @type {string} */ right) =>
        `Step ${step} of ${of}. Without a mistake: ${right}.`,
      figures: [
        ['Learned', 'Sinusoidal'],
        ['Cosine of two learned positions', 'Cosine of two sinusoidal ones'],
      ],
    },
  },

  'self-attention': {
    title: 'Attention in its simplest form',
    text: [
      'Every word looks at every word. The dot product of two vectors says how much one word looks at the other; ' +
        'softmax turns each row of products into shares that sum to 1; the new vector of a word is the mix of all ' +
        'vectors with those shares.',
      'This has nothing to learn yet: a word looks at similar words.',
    ],
    notice:
      'x x\u1d40 is symmetric: the product of cat and dog is that of dog and cat. The shares are not symmetric, ' +
      'because each row is divided by its own sum.',
    words: ['the', 'cat', 'dog', 'sees'],
    x: 'x: one row for each word',
    scores: 'x x\u1d40: how alike',
    weights: 'softmax: shares, each row sums to 1',
    output: 'shares \u00d7 x: the new rows',
    two: 'Between two sequences',
    twoText:
      'A sequence can also ask another one. Here the words of a second sequence ask: their products with x are no ' +
      'longer symmetric, there is a row for each word that asks, and its new row is a mix of rows of x.',
    asking: ['die', 'Katze'],
    y: 'Y: the words that ask',
    otherScores: 'Y x\u1d40',
    otherOutput: 'shares \u00d7 x',
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
    cell: (/** @type {string} */ product) => `q \u00b7 k: ${product}; divided by \u221ad_k, then softmax over the row`,
    picture: {
      label:
        'The query of one word meets the key of another. How well they fit decides the share of its value that ' +
        'goes into the new row of the first.',
      query: ['query', 'what it looks for'],
      key: ['key', 'what it offers'],
      value: ['value', 'what it gives'],
      output: ['new row', 'what it gets'],
      share: 'softmax: its share',
      passes: 'share \u00d7 v',
    },
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
    table: {
      title: 'The table of a sentence',
      text:
        'The self-attention of the loaded model\u2019s encoder. Each row is a word, and its shares go to the ' +
        'words of ' +
        'the columns. A look-ahead mask belongs to the decoder, so this encoder was trained without: the mask shows ' +
        'what it would do to these scores. A padding mask hides what fills up shorter sentences of a batch.',
      input: 'Sentence',
      show: 'Show',
      layer: 'Layer',
      head: 'Head',
      mean: 'mean of all',
      aheadMask: 'Look-ahead mask',
      padding: 'Padding',
      paddingMask: 'Padding mask',
      on: 'on',
      off: 'off',
      plain: 'Every word may look at every other.',
      ahead: 'No word looks at a later one: above the diagonal all shares are 0.',
      hidden: 'Padding has no share, so the rest is exactly as without padding.',
      seen: 'Padding takes shares from the words: the sentence now depends on the length of its neighbours.',
    },
  },

  'multi-head': {
    title: 'Several heads',
    text: [
      'One softmax gives one set of shares. A word that looks for its subject and its adjective at the same time ' +
        'needs two. So the d_model numbers are divided into heads: each has its own queries, keys, values and ' +
        'shares.',
      'One more matrix, W_O, mixes their outputs. All heads together cost no more than one large head.',
    ],
    notice: 'Both heads read the same words, but their shares differ, because each uses other columns of the matrices.',
    words: ['the', 'cat', 'sleeps', 'well'],
    heads: 'Heads',
    x: 'x: editable, d_model = 4',
    head: (/** @type {number} */ i, /** @type {number} */ from, /** @type {number} */ to) =>
      `Head ${i}: columns ${from}\u2060\u2013\u2060${to} of W_Q, W_K and W_V`,
    weights: 'Shares',
    headOutput: 'Shares \u00d7 V',
    together: 'Together',
    concat: 'All heads side by side',
    output: 'Output',
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
    w1: 'W_1',
    w2: 'W_2',
    gain: 'Gain of the norm',
    bias: 'Bias of the norm',
    wide: 'times W_1, plus b_1',
    hidden: 'Hidden layer: after the activation',
    moments: 'Before the norm',
    momentNames: ['mean', 'variance'],
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
    tree: 'The tree: p of each beginning. Dashed: dropped by the search. Thick: found',
    see: 'See the beams of your own sentence',
  },

  train: {
    title: 'Train one yourself',
    text: [
      'A Transformer of 2 + 2 layers with 64 numbers per word starts with random weights. It learns a task only from ' +
        'examples, and from how wrong it was in each.',
      'The training goes on while you visit other rooms. What it has learned is kept in this browser, also when you ' +
        'close the page.',
    ],
    notice:
      'As the loss falls, the cross attention of one layer finds where each answer comes from: a diagonal for ' +
      'digits, ' +
      'and for sentences word by word, with a jump where German turns the order round.',
    task: 'Task',
    tasks: {
      reverse: {
        name: 'Write digits backwards',
        text: 'To write the first digit, it has to look at the last one.',
        input: 'Digits, 3 to 10 of them',
        bad: (/** @type {string} */ text) => `Found \u201c${text}\u201d; expected 3 to 10 digits from 0 to 9.`,
        rows: 'rows: the digit being written; columns: the digits read',
        see: '',
      },
      words: {
        name: 'Translate small sentences',
        text:
          'English into German, with 66 words. \u201cThe\u201d has three genders and two cases, adjectives follow ' +
          'them, and after \u201ctoday\u201d the verb comes before the subject. It is tried with sentences that it ' +
          'has never seen.',
        input: 'A sentence of words that it knows',
        bad: (/** @type {string} */ text) =>
          `Found \u201c${text}\u201d; expected a sentence like \u201ctoday the young man likes a flower\u201d. ` +
          'Articles: the, a, an. Adjectives: small, old, big, young, new. Nouns: dog, man, bird, cat, woman, flower, ' +
          'child, house, book. Verbs: sees, finds, looks for, needs, likes.',
        rows: 'rows: the word being written; columns: the words read',
        see: 'Translate then uses your model, until you choose a pair of languages again.',
      },
    },
    start: 'Train',
    stop: 'Stop',
    go: 'Continue',
    again: 'Begin again',
    loss: 'loss',
    steps: 'steps',
    curve: 'Loss for each step',
    map: 'Cross attention, mean of the heads',
    status: (
      /** @type {number} */ step,
      /** @type {number} */ of,
      /** @type {string} */ loss,
      /** @type {string} */ right,
    ) => `Step ${step} of ${of}. Loss ${loss}. Without a mistake: ${right}.`,
    background: (/** @type {number} */ step, /** @type {number} */ of) => `Training: step ${step} of ${of}`,
    idle: 'Not started. It takes half a minute to two minutes; the page stays usable.',
    unkept: 'It could not be stored in this browser, so it is lost when the page is closed.',
    finished: 'Finished.',
    stopped: 'Stopped.',
    failed: 'Training failed:',
    oneWeight: 'One weight while it learns',
    watched:
      'The first number of W_Q in the cross attention of the last layer. Each step moves it against ' +
      'the running mean of its gradients, divided by the root of the mean of their squares: this is Adam.',
    watchedNow: (/** @type {string} */ weight, /** @type {string} */ gradient) =>
      `The weight was ${weight}, its gradient ${gradient}.`,
    weight: 'weight',
    gradient: 'gradient',
    use: 'Use it',
    answer: 'Its answer',
    right: 'Right.',
    wrong: (/** @type {string} */ expected) => `Wrong; it should be ${expected}.`,
    layer: 'Layer',
    end: 'end',
    random: (/** @type {number} */ choices, /** @type {string} */ loss) =>
      `Guessing one of ${choices} has a loss of ln ${choices} = ${loss}.`,
    see: 'Open it in See',
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
