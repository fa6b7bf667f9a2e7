// progress.js - shows the progress of downloads and translation on standard error, if that is a terminal.

const ERASE = '\r\u001b[K';
/** Milliseconds between updates, and before the first one of the work: short work needs none. */
const PAUSE = 200;
/** Width of a bar. */
const CELLS = 30;

/** A line that is overwritten. */
class Line {
  #isWatched = process.stderr.isTTY === true;
  #last = -Infinity;
  #text = '';

  /** @param {() => string} text @param {boolean} [isUrgent]  even right after the last one */
  show(text, isUrgent = false) {
    const now = performance.now();
    if (!this.#isWatched || (!isUrgent && now - this.#last < PAUSE)) return;
    this.#last = now;
    this.#text = text();
    process.stderr.write(ERASE + this.#text);
  }

  /** Removes the line, so that other text can be written. */
  hide() {
    if (this.#text !== '') process.stderr.write(ERASE);
  }

  /** Shows the line again after hide(). */
  showAgain() {
    if (this.#text !== '') process.stderr.write(ERASE + this.#text);
  }

  end() {
    this.hide();
    this.#text = '';
  }
}

/** A bar for a download, or its bytes if nobody knows how many there are. */
export class Download {
  #line = new Line();
  #name;

  /** @param {string} name */
  constructor(name) {
    this.#name = name;
  }

  /** @param {number} loaded  of 1 */
  show(loaded) {
    const cells = Math.floor(loaded * CELLS);
    const bar = '#'.repeat(cells).padEnd(CELLS, '.');
    this.#line.show(() => `${this.#name} [${bar}] ${Math.floor(100 * loaded)} %`, loaded === 1);
  }

  /** @param {number} bytes  so far */
  count(bytes) {
    this.#line.show(() => `${this.#name} ${(bytes / 1e6).toFixed(1)} MB`);
  }

  end() {
    this.#line.end();
  }
}

/** @param {number} seconds */
function duration(seconds) {
  const whole = Math.ceil(seconds);
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** Number of lines, lines per second, time left. */
export class Work {
  #line = new Line();
  #start = performance.now();
  #lines = 0;
  #done = 0;
  #total;

  /** @param {number | undefined} total  bytes of all lines; undefined if unknown */
  constructor(total) {
    this.#total = total;
  }

  /** @param {string[]} lines  translated lines */
  add(lines) {
    this.#lines += lines.length;
    for (const line of lines) this.#done += Buffer.byteLength(line) + 1;
    const seconds = (performance.now() - this.#start) / 1000;
    if (seconds * 1000 < PAUSE) return;
    this.#line.show(() => {
      const left = this.#total === undefined ? ''
        : `, ${duration((seconds * Math.max(0, this.#total - this.#done)) / this.#done)} left`;
      return `${this.#lines} lines, ${(this.#lines / seconds).toFixed(1)} a second${left}`;
    });
  }

  /** Writes a message to standard error. @param {string} message */
  tell(message) {
    this.#line.hide();
    process.stderr.write(`heed: ${message}\n`);
    this.#line.showAgain();
  }

  /** @param {() => unknown} write  writes to standard output, which may be the same terminal */
  async around(write) {
    if (process.stdout.isTTY) this.#line.hide();
    await write();
    if (process.stdout.isTTY) this.#line.showAgain();
  }

  end() {
    this.#line.end();
  }
}
