// phrases.js - how many first words and phrases a model translates as people would: its answers are looked up in the
// lists of phrases.tsv, whose form README.md tells.
//
//     node tests/score/phrases.js [--model DIR] [--direction en-de]... [--keep on|off] [--out DIR]
//
// Prints the percentage of right answers of each direction. Exit code 1: one is below 95 %.
import { fileURLToPath } from 'node:url';
import { LANGUAGES, readTable, runScorer } from './directions.js';

const LEAST = 95;

/**
 * A text without what does not make an answer wrong: the case of the first letter, a full stop or an exclamation mark
 * at the end (of Spanish ones the pair), doubled spaces, the space before French signs, curved apostrophes.
 *
 * @param {string} text
 * @param {string} language
 */
export function plain(text, language) {
  const line = text.normalize('NFC').replace(/[\u2018\u2019]/g, "'").replace(/\s+/g, ' ').trim()
    .replace(/ (?=[?!:;])/g, '').replace(/\p{L}/u, (letter) => letter.toLowerCase());
  const called = language === 'es' ? /^\u00a1([^\u00a1!]*)!$/ : /^([^!]*)!$/;
  return line.replace(called, '$1').replace(/(?<!\.)\.$/, '');
}

/**
 * The variants of a cell that are right for a source language; the first is the cell's own text as a source.
 *
 * @param {string} cell
 * @param {string} source
 * @returns {string[]}
 */
export function listAnswers(cell, source) {
  return cell.split(' | ').flatMap((variant) => {
    const [, only, text] = /** @type {RegExpExecArray} */ (/^(?:\[(\w+)\] )?(.*)$/.exec(variant));
    return only === undefined || only === source ? [text] : [];
  });
}

/** @param {string} output @param {string[]} answers @param {string} language  of both */
export const isAnswer = (output, answers, language) =>
  answers.some((answer) => plain(answer, language) === plain(output, language));

export const readPhrases = () => readTable(fileURLToPath(new URL('phrases.tsv', import.meta.url)));

async function main() {
  const rows = readPhrases();
  /** @param {string} direction */
  const sources = (direction) => rows.map((row) => row[LANGUAGES.indexOf(direction.split('-')[0])].split(' | ')[0]);
  return runScorer('phrases', {
    // the lists are made for pairs with English: a word of two senses has other answers in other pairs
    has: (direction) => {
      const pair = direction.split('-');
      return pair.includes('en') && pair.every((language) => LANGUAGES.includes(language));
    },
    sources,
    score: (direction, outputs) => {
      const texts = sources(direction);
      const [source, target] = direction.split('-');
      const answers = rows.map((row) => listAnswers(row[LANGUAGES.indexOf(target)], source));
      const right = outputs.map((output, i) => isAnswer(output, answers[i], target));
      const count = right.filter(Boolean).length;
      const percent = (100 * count) / rows.length;
      return {
        line: `${percent.toFixed(1)} % right (${count} of ${rows.length})`,
        isGood: percent >= LEAST,
        table: [
          ['right', 'source', 'output', 'first answer'],
          ...outputs.map((output, i) => [right[i] ? 'yes' : 'no', texts[i], output, answers[i][0]]),
        ],
      };
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
