import { printable } from '../kernel/printable.ts';
import { type CommandLineIo, DEFAULT_WIDTH, widthOf } from './io.ts';
import { lengthOf, truncate } from './layout.ts';

const REDRAW_MS = 100;
const MAX_BAR = 24;
const MIN_BAR = 8;
/** Columns next to the bar. */
const OTHER_WIDTH = '[] 100%  1000.0 MB  a title of some length'.length;
const MEGABYTE = 1e6;

type Streams = Pick<CommandLineIo, 'stderr' | 'runtime'>;

/** A line on stderr that is rewritten; prints nothing if stderr is not a terminal, unless it may print a line now and then. */
export class ProgressLine {
  readonly #io: Streams;
  readonly #linesMs: number;
  #drawnAt: number;
  #isShown = false;

  /** @param linesMs how often a line is printed if stderr is not a terminal */
  constructor(io: Streams, linesMs = Number.POSITIVE_INFINITY) {
    this.#io = io;
    this.#linesMs = linesMs;
    this.#drawnAt = io.stderr.isTTY ? Number.NEGATIVE_INFINITY : io.runtime.monotonic();
  }

  /** @param format gets the number of columns; not called if nothing is printed now */
  show(format: (width: number) => string, { always = false } = {}): void {
    const { stderr, runtime } = this.#io;
    const now = runtime.monotonic();
    const isDue = now - this.#drawnAt >= (stderr.isTTY ? REDRAW_MS : this.#linesMs);
    if (!isDue && !(always && stderr.isTTY)) return;
    this.#drawnAt = now;
    // Some terminals break the line at the last column.
    const width = (widthOf(stderr) ?? DEFAULT_WIDTH) - 1;
    const line = format(width);
    if (!stderr.isTTY) stderr.write(`${line}\n`);
    else stderr.write(`\r\x1b[K${lengthOf(line) > width ? truncate(line, width).trimEnd() : line}`);
    this.#isShown = stderr.isTTY === true;
  }

  end(): void {
    if (this.#isShown) this.#io.stderr.write('\r\x1b[K');
    this.#isShown = false;
  }
}

/** A progress bar on stderr; prints nothing if stderr is not a terminal. */
export class ProgressBar {
  readonly #line: ProgressLine;
  readonly #title: string;
  readonly #total: number | undefined;
  #done = 0;

  /** @param total bytes; undefined if unknown */
  constructor(io: Streams, title: string, total: number | undefined) {
    this.#line = new ProgressLine(io);
    this.#title = title;
    this.#total = total;
  }

  /** Yields the chunks and counts their bytes. */
  async *over(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      yield chunk;
      this.#done += chunk.length;
      this.#draw();
    }
    this.#draw('checked, importing');
  }

  end(): void {
    this.#line.end();
  }

  #draw(last?: string): void {
    const text = last ?? printable(this.#title);
    this.#line.show((width) => `${this.#share(width)}  ${text}`, { always: last !== undefined });
  }

  #share(width: number): string {
    const size = `${(this.#done / MEGABYTE).toFixed(1)} MB`;
    if (this.#total === undefined || this.#total === 0) return size;
    const share = Math.min(1, this.#done / this.#total);
    const length = Math.min(MAX_BAR, Math.max(MIN_BAR, width - OTHER_WIDTH));
    const filled = Math.round(share * length);
    const bar = `[${'='.repeat(filled)}${' '.repeat(length - filled)}]`;
    return `${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${size}`;
  }
}
