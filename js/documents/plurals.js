// plurals.js - plural forms of gettext: how many a language has, and which of them a number takes. Used by po.js.

import { DocumentError } from './unit.js';

/**
 * The forms of languages, as GNU gettext has them. [languages, number of forms, form of n]
 *
 * @type {[string, number, string][]}
 */
const FORMS = [
  ['id ja km ko lo ms my th vi yue zh', 1, '0'],
  ['fr pt-BR hy', 2, 'n > 1'],
  ['be bs hr ru sr uk', 3,
    'n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2'],
  ['pl', 3, 'n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2'],
  ['cs sk', 3, 'n==1 ? 0 : n>=2 && n<=4 ? 1 : 2'],
  ['lt', 3, 'n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2'],
  ['lv', 3, 'n%10==1 && n%100!=11 ? 0 : n!=0 ? 1 : 2'],
  ['ro', 3, 'n==1 ? 0 : n==0 || (n%100>0 && n%100<20) ? 1 : 2'],
  ['sl', 4, 'n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3'],
  ['ga', 5, 'n==1 ? 0 : n==2 ? 1 : n>2 && n<7 ? 2 : n>6 && n<11 ? 3 : 4'],
  ['ar', 6, 'n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5'],
  ['is mk', 2, 'n%10!=1 || n%100==11'],
  ['mt', 4, 'n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : n%100>10 && n%100<20 ? 2 : 3'],
  ['cy', 4, 'n==1 ? 0 : n==2 ? 1 : n==8 || n==11 ? 3 : 2'],
];

/** The header of a language. @param {string} language  a tag @returns {string}  nplurals=…; plural=…; */
export function pluralForms(language) {
  const [short] = language.split('-');
  const has = (/** @type {string} */ wanted) => FORMS.find(([languages]) => languages.split(' ').includes(wanted));
  const [, count, expression] = has(language) ?? has(short) ?? ['', 2, 'n != 1'];
  return `nplurals=${count}; plural=(${expression});`;
}

const TOKEN = /\s*(\d+|[n?:()%*/+-]|[<>=!]=|[<>!]|&&|\|\||$)/y;
/** How tightly operators bind, as in C. @type {Record<string, number>} */
const BINDS = { '||': 1, '&&': 2, '==': 3, '!=': 3, '<': 4, '>': 4, '<=': 4, '>=': 4, '+': 5, '-': 5, '*': 6, '/': 6,
  '%': 6 };
/** @type {Record<string, (a: number, b: number) => number>} */
const DO = {
  '||': (a, b) => Number(a !== 0 || b !== 0), '&&': (a, b) => Number(a !== 0 && b !== 0),
  '==': (a, b) => Number(a === b), '!=': (a, b) => Number(a !== b), '<': (a, b) => Number(a < b),
  '>': (a, b) => Number(a > b), '<=': (a, b) => Number(a <= b), '>=': (a, b) => Number(a >= b),
  '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b,
  '/': (a, b) => (b === 0 ? NaN : Math.trunc(a / b)), '%': (a, b) => (b === 0 ? NaN : a % b),
};
/** Brackets in brackets. */
const DEEPEST = 50;

/**
 * An expression of C, as gettext allows it.
 *
 * @param {string} source
 * @returns {(n: number) => number}  throws an Error that says what is wrong
 */
function compile(source) {
  let at = 0;
  let token = '';
  let depth = 0;
  const next = () => {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    if (!match) throw new Error(`found '${source.slice(at).trim()}'`);
    at = TOKEN.lastIndex;
    token = match[1];
  };
  /** @param {string} wanted */
  const take = (wanted) => {
    if (token !== wanted) throw new Error(`found '${token || 'its end'}', expected '${wanted}'`);
    next();
  };
  /** @returns {(n: number) => number} */
  const unary = () => {
    const own = token;
    if (own === '!') {
      if (++depth > DEEPEST) throw new Error('it is nested too deep');
      next();
      const value = unary();
      depth--;
      return (n) => Number(value(n) === 0);
    }
    if (own === '(') {
      next();
      const value = ternary();
      take(')');
      return value;
    }
    if (own !== 'n' && !/^\d/.test(own)) throw new Error(`found '${own || 'its end'}', expected a number or n`);
    next();
    return own === 'n' ? (n) => n : () => Number(own);
  };
  /** @param {number} least @returns {(n: number) => number} */
  const binary = (least) => {
    let left = unary();
    for (;;) {
      const [operator, before] = [token, left];
      const binds = BINDS[operator] ?? 0;
      if (binds < least || binds === 0) return left;
      next();
      const right = binary(binds + 1);
      left = (n) => DO[operator](before(n), right(n));
    }
  };
  /** @returns {(n: number) => number} */
  const ternary = () => {
    if (++depth > DEEPEST) throw new Error('it is nested too deep');
    const condition = binary(1);
    let result = condition;
    if (token === '?') {
      next();
      const yes = ternary();
      take(':');
      const no = ternary();
      result = (n) => (condition(n) === 0 ? no(n) : yes(n));
    }
    depth--;
    return result;
  };
  next();
  const value = ternary();
  if (token !== '') throw new Error(`found '${token}', expected its end`);
  return value;
}

/** Numbers whose forms tell which number a form is of. */
const SAMPLES = 1000;

/**
 * The forms of a header.
 *
 * @param {string} header  nplurals=…; plural=…;
 * @param {number} line  for errors
 * @returns {{ isOne: boolean, isOnlyOne: boolean }[]}  of each form, whether the number 1 takes it, and no other does
 */
export function readForms(header, line) {
  const match = /^\s*nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;]*);?\s*$/.exec(header);
  if (!match || Number(match[1]) < 1) {
    throw new DocumentError(line, `Plural-Forms: found '${header}', expected nplurals=N; plural=EXPRESSION;`);
  }
  const count = Number(match[1]);
  let formOf;
  try {
    formOf = compile(match[2]);
  } catch (error) {
    throw new DocumentError(line, `Plural-Forms: ${/** @type {Error} */ (error).message}`);
  }
  const uses = new Array(count).fill(0);
  for (let n = 0; n <= SAMPLES; n++) {
    const form = formOf(n);
    if (!(form >= 0 && form < count)) {
      throw new DocumentError(line, `Plural-Forms: ${n} has the form ${form}, expected one below nplurals=${count}`);
    }
    uses[form]++;
  }
  const one = formOf(1);
  return uses.map((use, i) => ({ isOne: i === one, isOnlyOne: i === one && use === 1 }));
}
