// colors.js - turns numbers into colours that also colour-blind people can order, with legible text on them; used by
// matrix.js and the room See.

/** Steps of a scale: more than the eye can distinguish. */
const STEPS = 256;
/** Set apart by hue and lightness for every kind of colour vision (after Okabe and Ito), on light and on dark. */
const LIGHT_HEADS = ['#0067a5', '#c44e00', '#00795a', '#a8488a', '#8a6d00', '#2f9ad0', '#6a4c93', '#4d4d4d'];
const DARK_HEADS = ['#5fb4ee', '#f2894a', '#3cc79a', '#e69ac9', '#e3c33a', '#a5d8f5', '#b79ce0', '#c8c8c8'];

/** @param {string} hex  #rrggbb */
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** The relative luminance of WCAG. @param {number[]} channels */
const luminance = (channels) =>
  channels.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);

/** @param {number[]} a @param {number[]} b */
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** Colours between stops. @param {number[][]} stops */
function between(stops) {
  return Array.from({ length: STEPS }, (_, i) => {
    const at = (i / (STEPS - 1)) * (stops.length - 1);
    const from = Math.min(Math.floor(at), stops.length - 2);
    return stops[from].map((c, j) => Math.round(c + (stops[from + 1][j] - c) * (at - from)));
  });
}

/**
 * The scales of a set of tokens: 'sequential' for 0 to 1, 'diverging' for -1 to 1.
 *
 * @param {(token: string) => string} token  '--scale-0' to its #rrggbb
 * @param {boolean} isDark
 */
export function makePalette(token, isDark) {
  const neutral = rgb(token('--scale-0'));
  const scales = {
    sequential: between([0, 1, 2, 3, 4].map((i) => rgb(token(`--scale-${i}`)))),
    diverging: between([rgb(token('--negative')), neutral, rgb(token('--positive'))]),
  };
  // one of these two has a contrast of at least 4.5 on any colour; a grey does not
  const inks = ['#ffffff', '#000000'];
  const css = (/** @type {number[]} */ c) => `rgb(${c.join(',')})`;
  const table = (/** @type {(c: number[]) => any} */ f) => ({
    sequential: scales.sequential.map(f),
    diverging: scales.diverging.map(f),
  });
  const colors = table(css);
  const onThem = table((c) => (contrast(c, rgb(inks[0])) > contrast(c, rgb(inks[1])) ? inks[0] : inks[1]));
  /** @typedef {'sequential' | 'diverging'} Scale */
  const step = (/** @type {Scale} */ scale, /** @type {number} */ x) => {
    // masked values have no colour of their own
    const share = scale === 'diverging' ? ((Number.isFinite(x) ? x : 0) + 1) / 2 : x;
    return Math.round(Math.min(Math.max(share, 0) || 0, 1) * (STEPS - 1));
  };
  return {
    /** @param {Scale} scale @param {number} x */
    color: (scale, x) => colors[scale][step(scale, x)],
    /** The text colour on that colour. @param {Scale} scale @param {number} x */
    ink: (scale, x) => onThem[scale][step(scale, x)],
    /** @param {Scale} scale @param {number} x */
    channels: (scale, x) => scales[scale][step(scale, x)],
    heads: isDark ? DARK_HEADS : LIGHT_HEADS,
    bg: token('--bg'),
    fg: token('--fg'),
    muted: token('--muted'),
    line: token('--line'),
    accent: token('--accent'),
    focus: token('--focus'),
    negative: token('--negative'),
  };
}

/** @type {{ theme: string | undefined, palette: ReturnType<typeof makePalette> } | undefined} */
let kept;

/** The palette of the current theme. */
export function palette() {
  const { theme } = document.documentElement.dataset;
  if (!kept || kept.theme !== theme) {
    const style = getComputedStyle(document.documentElement);
    kept = { theme, palette: makePalette((name) => style.getPropertyValue(name).trim(), theme === 'dark') };
  }
  return kept.palette;
}
