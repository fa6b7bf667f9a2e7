// strings.js - every word of the room See, by view. Fetched by ../strings.js when it is first opened.

export const see = {
  heading: 'See',
  views: {
    heads: 'Heads', matrix: 'Matrix', layers: 'Layers', alignment: 'Alignment', ablation: 'Switch heads off',
    beam: 'Beam',
  },
  viewsLabel: 'Views',
  text: 'Text',
  translate: 'Translate',
  sentence: 'Sentence',
  noModel: 'No model is loaded. Load one in the room Translate.',
  noText: 'Type a sentence above: its attention is shown here.',
  loading: 'Waiting for the model\u2026',
  running: 'Translating\u2026',
  failed: 'This text could not be translated:',
  viewFailed: 'This could not be shown:',
  export: 'Save as',
  exportOf: (/** @type {string} */ kind) => `Save as ${kind}`,
  exportFailed: 'The file could not be made:',
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
    lead: 'Each line goes from a token to one it attends to; the stronger, the greater the weight. '
      + 'Point at a token, or move to it with the arrow keys, to see its lines alone.',
    sides: {
      encoder: ['Source token', 'attends to'], decoder: ['Fed in', 'attends to'],
      cross: ['Target, as predicted', 'attends to source'],
    },
    all: 'All', none: 'None',
    threshold: 'Weights under 4 % have no line here; point at a token for all from 0.5 %.',
    attends: (/** @type {string} */ token, /** @type {string} */ list) => `${token} attends to ${list}`,
    attended: (/** @type {string} */ token, /** @type {string} */ list) => `${token} is attended to by ${list}`,
    mean: 'Numbers are the mean of the heads chosen.',
  },
  matrixView: {
    lead: {
      encoder: 'Each row is a source token, and says how it shares its attention among all source tokens.',
      decoder: 'Each row is a step of the decoder: the token predicted \u2190 the token fed in. '
        + 'It sees only what was fed in so far.',
      cross: 'Each row is a step of the decoder: the token predicted \u2190 the token fed in, '
        + 'and how it shares its attention among the source tokens.',
    },
    help: 'Arrow keys move the cell, Enter or a click shows the sum behind it, + and \u2212 zoom; '
      + 'two fingers zoom and move.',
    label: (/** @type {string} */ place) => `Attention weights, ${place}`,
    zoomIn: 'Larger', zoomOut: 'Smaller', fit: 'Fit',
    weight: (/** @type {string} */ w) => `weight ${w}`,
    predicts: (/** @type {string} */ token) => `predicts ${token}`,
    fed: (/** @type {string} */ token) => `fed in ${token}`,
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
  alignmentView: {
    lead: 'Point at a word, tap it, or move to it with the arrow keys: '
      + 'the words it goes with are marked in the other text.',
    from: 'Cross attention of',
    mean: 'all layers and heads, mean',
    source: 'Source', target: 'Translation',
    targetTo: (/** @type {string} */ word, /** @type {string} */ list) => `\u201c${word}\u201d looked at ${list}`,
    sourceTo: (/** @type {string} */ word, /** @type {string} */ list) =>
      `\u201c${word}\u201d was looked at by ${list}`,
    nothing: 'nothing of weight',
    choose: 'No word chosen.',
    note: 'Of a target word: the share of its attention. '
      + 'The rest is under 2 % each, or went to the end of the sentence.',
  },
  ablationView: {
    lead: 'Switch heads off: what they would have added is taken as zero, and the sentence is translated anew.',
    toggle: (/** @type {string} */ place, /** @type {boolean} */ isOff) => `${place}${isOff ? ', off' : ''}`,
    reset: 'All on',
    measure: 'Which head matters most?',
    measureHint: 'Switches off each head alone and reads how much less probable the translation becomes.',
    stop: 'Stop',
    measuring: (/** @type {number} */ done, /** @type {number} */ of) => `${done} of ${of} heads`,
    original: 'With all heads', changed: (/** @type {number} */ n) => `With ${n} ${n === 1 ? 'head' : 'heads'} off`,
    same: 'The translation stays the same.',
    differs: 'The translation changes.',
    score: 'log-probability',
    delta: (/** @type {string} */ d) => `change ${d}`,
    oldScore: 'The first translation, by the model without these heads',
    running: 'Translating\u2026',
    nothing: 'All heads are on.',
    most: 'The heads that this translation needs most',
    rank: (/** @type {string} */ place, /** @type {string} */ d) => `${place}: ${d}`,
    legend: 'Numbers: change of the log-probability of this translation when that head alone is off.',
  },
  beamView: {
    lead: 'Beam search follows several translations at once and keeps the best.',
    beams: 'Beams',
    best: 'best', finished: 'ended', pruned: 'dropped',
    tree: 'Tree of hypotheses',
    treeHelp: 'Arrow keys: \u2192 to what follows, \u2190 back, \u2191 \u2193 to the neighbours. '
      + 'Faint: dropped at once. Bold: the winner.',
    node: (/** @type {string} */ piece, /** @type {string} */ own, /** @type {string} */ sum,
      /** @type {string} */ states) =>
      `${piece}: log-probability ${own}, sum so far ${sum}${states && `, ${states}`}`,
    list: 'Where the search ended',
    tokens: 'Token by token, of the winner',
    piece: 'Token', logProb: 'log-probability', probability: 'probability', sum: 'sum',
    noTree: 'This model does not tell the steps of its search: the ends of it are listed.',
    running: 'Searching\u2026',
  },
};
