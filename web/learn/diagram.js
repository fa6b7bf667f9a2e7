// diagram.js - the encoder-decoder Transformer as an SVG whose boxes are buttons. Used by model.js.

import { s } from './chart.js';

/** @typedef {{ id: string, stack: 'encoder' | 'decoder', inLayer: boolean }} Box */

const [WIDTH, BOX, TALL, STEP, TOP] = [360, 132, 30, 44, 30];
/** Space for the frame around the layers, above and below. */
const [ABOVE, BELOW] = [22, 14];
const LEFT = { encoder: 20, decoder: WIDTH - BOX - 20 };

/**
 * The boxes of one column from top to bottom. Pre-norm models have each norm before its sub-layer. A decoder may have
 * an SSRU in place of self-attention.
 *
 * @param {'encoder' | 'decoder'} stack
 * @param {boolean} isPre
 * @param {boolean} [isRecurrent]
 * @returns {Box[]}
 */
export function boxes(stack, isPre, isRecurrent = false) {
  const parts = stack === 'encoder' ? ['self', 'ffn'] : [isRecurrent ? 'ssru' : 'self', 'cross', 'ffn'];
  const layer = parts.flatMap((part, i) => (isPre ? [`norm${i + 1}`, part] : [part, `norm${i + 1}`]));
  const box = (/** @type {string} */ id, inLayer = false) => ({ id, stack, inLayer });
  return [
    box(stack === 'encoder' ? 'source' : 'target'),
    ...['embedding', 'positions'].map((part) => box(`${stack}.${part}`)),
    ...layer.map((part) => box(`${stack}.${part}`, true)),
    box(`${stack}.output`),
    ...(stack === 'decoder' ? [box('output')] : []),
  ];
}

/** Where box number i begins, or (Infinity) where all end. @param {Box[]} list @param {number} i */
function yOf(list, i) {
  const end = Math.min(i, list.length);
  const before = list.slice(0, end + 1);
  return (
    TOP +
    end * STEP +
    (before.some(({ inLayer }) => inLayer) ? ABOVE : 0) +
    (before.some(({ inLayer }, at) => !inLayer && list[at - 1]?.inLayer) ? BELOW : 0)
  );
}

/**
 * @param {any} t  strings of the chapter
 * @param {{ isPre: boolean, isRecurrent: boolean, layers: { encoder: number, decoder: number } | undefined }} model
 * @param {(box: Box) => void} onChoose
 * @returns {{ element: SVGElement, mark: (id: string) => void }}
 */
export function diagram(t, { isPre, isRecurrent, layers }, onChoose) {
  const svg = s('svg', {
    viewBox: `0 0 ${WIDTH} ${yOf(boxes('decoder', isPre), Infinity)}`,
    class: 'diagram',
    role: 'group',
    'aria-label': t.diagram,
  });
  /** @type {Map<string, SVGElement>} */
  const elements = new Map();

  for (const stack of /** @type {const} */ (['encoder', 'decoder'])) {
    const x = LEFT[stack];
    const middle = x + BOX / 2;
    const outer = stack === 'encoder' ? x - 7 : x + BOX + 7;
    const list = boxes(stack, isPre, isRecurrent);
    const inLayer = list.flatMap((box, i) => (box.inLayer ? [i] : []));
    const [first, last] = [inLayer[0], inLayer[inLayer.length - 1]];
    svg.append(
      s('text', { x: middle, y: 18, 'text-anchor': 'middle', class: 'stack' }, t[stack]),
      s('rect', {
        x: x - 13,
        y: yOf(list, first) - 25,
        width: BOX + 26,
        height: (last - first) * STEP + TALL + 35,
        rx: 10,
        class: 'frame',
      }),
    );
    if (layers) {
      svg.append(
        s(
          'text',
          {
            x: stack === 'encoder' ? x - 9 : x + BOX + 9,
            y: yOf(list, first) - 10,
            'text-anchor': stack === 'encoder' ? 'start' : 'end',
            class: 'times',
          },
          t.layers(layers[stack]),
        ),
      );
    }
    list.forEach((box, i) => {
      const y = yOf(list, i);
      const below = yOf(list, i + 1);
      if (i + 1 < list.length) {
        svg.append(
          s('path', { d: `M${middle} ${y + TALL}V${below - 5}`, class: 'wire' }),
          s('path', { d: `M${middle - 3.5} ${below - 6}l3.5 5l3.5-5z`, class: 'tip' }),
        );
      }
      // the residual connection bypasses each pair of sublayer and norm
      if (box.inLayer && (i - first) % 2 === 0) {
        const [from, to] = [y - 5, isPre ? y + STEP + TALL + 4 : y + STEP + TALL / 2];
        svg.append(
          s('path', {
            d: `M${middle} ${from}H${outer}V${to}H${isPre ? middle : stack === 'encoder' ? x : x + BOX}`,
            class: 'wire residual',
          }),
        );
      }
    });
    for (const [i, box] of list.entries()) {
      const kind = box.id.replace(/^.*\./, '').replace(/\d$/, '');
      const name = isPre && kind === 'norm' ? t.norm : t.boxes[box.id];
      const element = s(
        'g',
        {
          class: `box ${kind}`,
          role: 'button',
          tabindex: 0,
          'aria-pressed': 'false',
          'aria-label': `${t[stack]}: ${name}`,
        },
        s('rect', { x, y: yOf(list, i), width: BOX, height: TALL, rx: 7 }),
        s('text', { x: middle, y: yOf(list, i) + TALL / 2 + 4.5, 'text-anchor': 'middle' }, name),
      );
      element.addEventListener('click', () => onChoose(box));
      element.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onChoose(box);
      });
      elements.set(box.id, element);
      svg.append(element);
    }
  }

  const at = (/** @type {'encoder' | 'decoder'} */ stack, /** @type {string} */ id) =>
    yOf(
      boxes(stack, isPre),
      boxes(stack, isPre).findIndex((box) => box.id === id),
    ) +
    TALL / 2;
  const [from, to] = [at('encoder', 'encoder.output'), at('decoder', 'decoder.cross')];
  const end = LEFT.decoder;
  svg.prepend(s('path', { d: `M${LEFT.encoder + BOX} ${from}H${WIDTH / 2}V${to}H${end - 4}`, class: 'wire memory' }));
  svg.append(s('path', { d: `M${end - 6} ${to - 3.5}l5 3.5l-5 3.5z`, class: 'tip memory' }));

  return {
    element: svg,
    mark(id) {
      for (const [name, element] of elements) element.setAttribute('aria-pressed', String(name === id));
    },
  };
}
