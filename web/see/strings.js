// strings.js - all texts of the room See, by view. ../strings.js loads it when the room is first opened.

export const see = {
  heading: 'See',
  views: {
    heads: 'Heads', matrix: 'Matrix', layers: 'Layers', gates: 'Gates', alignment: 'Alignment',
    occlusion: 'Leave a word out', ablation: 'Switch heads off', beam: 'Beam',
  },
  viewsLabel: 'Views',
  text: 'Text',
  translate: 'Translate',
  sentence: 'Sentence',
  noModel: 'No model is loaded. Load one under Translate.',
  loadFailed: 'The model could not be loaded.',
  retry: 'Try again',
  noText: 'Type a sentence above to see its attention here.',
  loading: 'Waiting for the model\u2026',
  running: 'Translating\u2026',
  failed: 'This text could not be translated:',
  viewFailed: 'This view could not be shown:',
  candidates: (/** @type {number} */ n, /** @type {number} */ of) =>
    `The model has a shortlist: of its ${of} tokens only the ${n} that this sentence selects were computed. `
    + 'All others have no probability here.',
  export: 'Save as',
  exportOf: (/** @type {string} */ kind) => `Save as ${kind}`,
  exportFailed: 'The file could not be created:',
  start: '(start)',
  stack: 'Attention',
  stacks: { encoder: 'Encoder', cross: 'Encoder to decoder', decoder: 'Decoder' },
  shortStacks: { encoder: 'encoder', cross: 'cross', decoder: 'decoder' },
  layer: 'Layer',
  head: 'Head',
  heads: 'Heads',
  place: (/** @type {string} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
    `${stack}, layer ${layer}, head ${head}`,
  percent: (/** @type {number} */ x) => `${(100 * x).toFixed(x < 0.0995 ? 1 : 0)}\u00a0%`,

  headsView: {
    lead: 'Each line goes from a token to one that it attends to. A stronger line is a greater weight. '
      + 'Point at a token, or move to it with the arrow keys, to see only its lines.',
    sides: {
      encoder: ['Source token', 'attends to'], decoder: ['Fed in', 'attends to'],
      cross: ['Target, as predicted', 'attends to source'],
    },
    all: 'All', none: 'None',
    threshold: 'Weights under 4 % have no line; point at a token to see its weights from 0.5 %.',
    attends: (/** @type {string} */ token, /** @type {string} */ list) => `${token} attends to ${list}`,
    attended: (/** @type {string} */ token, /** @type {string} */ list) => `${token} is attended to by ${list}`,
    mean: 'Numbers are the mean of the chosen heads.',
  },
  matrixView: {
    lead: {
      encoder: 'Each row is a source token, and shows how it divides its attention among all source tokens.',
      decoder: 'Each row is a step of the decoder: predicted token \u2190 input token. '
        + 'It sees only the tokens so far.',
      cross: 'Each row is a step of the decoder: predicted token \u2190 input token. '
        + 'It shows how the step divides its attention among the source tokens.',
    },
    help: 'Arrow keys move to another cell. Enter or a click shows the sum behind it. Plus and minus zoom; '
      + 'two fingers zoom and move.',
    label: (/** @type {string} */ place) => `Attention weights, ${place}`,
    zoomIn: 'Larger', zoomOut: 'Smaller', fit: 'Fit',
    weight: (/** @type {string} */ w) => `weight ${w}`,
    predicts: (/** @type {string} */ token) => `predicts ${token}`,
    fed: (/** @type {string} */ token) => `input ${token}`,
    to: (/** @type {string} */ token) => `attends to ${token}`,
    of: (/** @type {string} */ token) => `token ${token}`,
    table: 'As a table of numbers',
    part: (/** @type {string} */ rows, /** @type {string} */ cols) => `rows ${rows}, columns ${cols}`,
    range: (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ of) =>
      `${from} to ${to} of ${of}`,
    up: 'Rows before', down: 'Rows after', left: 'Columns before', right: 'Columns after',
    row: 'token',
  },
  layersView: {
    lead: 'Every head of every layer at a glance. Choose one to open it in Matrix.',
    open: (/** @type {number} */ layer, /** @type {number} */ head) => `Open layer ${layer}, head ${head}`,
    layer: (/** @type {number} */ layer) => `Layer ${layer}`,
    head: (/** @type {number} */ head) => `Head ${head}`,
  },
  gatesView: {
    lead: 'The decoder of this model has no self-attention. It remembers the tokens so far in a row of numbers, its '
      + 'memory. Each row here is a step: predicted token \u2190 input token; each column is one number of the memory. '
      + 'The stronger the colour, the more of the old number is kept; the rest is replaced by a new one, made of the '
      + 'input.',
    first: 'In the first step the memory is empty: what is kept is 0.',
    label: (/** @type {number} */ layer) => `Share of the memory that each step keeps, layer ${layer}`,
    dimension: (/** @type {number} */ i) => `number ${i}`,
    keeps: (/** @type {string} */ share) => `keeps ${share}`,
    candidate: (/** @type {string} */ x) => `new: ${x}`,
    cell: (/** @type {string} */ before, /** @type {string} */ after) => `memory: ${before} \u2192 ${after}`,
    mean: (/** @type {string} */ share) => `On average a step keeps ${share} of a number.`,
    zoomIn: 'Larger', zoomOut: 'Smaller', fit: 'Fit',
  },
  alignmentView: {
    lead: 'Point at a word, tap it, or move to it with the arrow keys: '
      + 'its counterparts in the other text are marked.',
    from: 'Cross attention of',
    mean: 'all layers and heads, mean',
    source: 'Source', target: 'Translation',
    targetTo: (/** @type {string} */ word, /** @type {string} */ list) => `\u201c${word}\u201d looked at ${list}`,
    sourceTo: (/** @type {string} */ word, /** @type {string} */ list) =>
      `\u201c${word}\u201d was looked at by ${list}`,
    nothing: 'nothing in particular',
    choose: 'No word chosen.',
    note: 'Numbers are shares of the target word\u2019s attention. '
      + 'The rest is under 2 % each, or on the end of the sentence.',
  },
  occlusionView: {
    lead: 'What does each word of the source do? Choose one: it is left out, and the sentence is translated again.',
    leaveOut: (/** @type {string} */ word) => `Leave out \u201c${word}\u201d`,
    nothing: 'No word is left out.',
    same: 'The translation stays the same.',
    differs: 'The translation changes.',
    measuring: (/** @type {number} */ done, /** @type {number} */ of) => `${done} of ${of} words`,
    legend: 'Numbers: change of the log-probability of a token of this translation when the word above is left out.',
  },
  ablationView: {
    lead: 'Switch heads off: their output becomes zero, and the sentence is translated again.',
    toggle: (/** @type {string} */ place, /** @type {boolean} */ isOff) => `${place}${isOff ? ', off' : ''}`,
    reset: 'All on',
    measure: 'Which head matters most?',
    measureHint: 'Switches off each head in turn, and measures how much less probable the translation becomes.',
    stop: 'Stop',
    measuring: (/** @type {number} */ done, /** @type {number} */ of) => `${done} of ${of} heads`,
    original: 'With all heads', changed: (/** @type {number} */ n) => `With ${n} ${n === 1 ? 'head' : 'heads'} off`,
    same: 'The translation stays the same.',
    differs: 'The translation changes.',
    score: 'log-probability',
    delta: (/** @type {string} */ d) => `change ${d}`,
    oldScore: 'The original translation, by the model without these heads',
    running: 'Translating\u2026',
    nothing: 'All heads are on.',
    most: 'The heads that this translation needs most',
    rank: (/** @type {string} */ place, /** @type {string} */ d) => `${place}: ${d}`,
    legend: 'Numbers: change of the log-probability of this translation when only that head is off.',
  },
  beamView: {
    lead: 'Beam search follows several translations at once and keeps the best.',
    beams: 'Beams',
    best: 'best', finished: 'ended', pruned: 'dropped',
    tree: 'Tree of hypotheses',
    treeHelp: 'Arrow keys: \u2192 to the next step, \u2190 back, \u2191 \u2193 to the neighbours. '
      + 'Faint: dropped at once. Bold: the winner.',
    node: (/** @type {string} */ piece, /** @type {string} */ own, /** @type {string} */ sum,
      /** @type {string} */ states) =>
      `${piece}: log-probability ${own}, sum so far ${sum}${states && `, ${states}`}`,
    list: 'Results of the search',
    tokens: 'The winner, token by token',
    piece: 'Token', logProb: 'log-probability', probability: 'probability', sum: 'sum',
    noTree: 'This model does not report the steps of its search, so only the results are listed.',
    running: 'Searching\u2026',
  },
};
