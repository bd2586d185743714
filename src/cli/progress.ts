import { printable } from '../kernel/printable.ts';
import { type CommandLineIo, DEFAULT_WIDTH, widthOf } from './io.ts';
import { lengthOf, truncate } from './layout.ts';

const REDRAW_MS = 100;
const BAR_WIDTH = 24;
const MEGABYTE = 1e6;

type Streams = Pick<CommandLineIo, 'stderr' | 'runtime'>;

/** A line on stderr that is rewritten. If stderr is not a terminal, prints a line at intervals, or nothing. */
export class ProgressLine {
  readonly #io: Streams;
  readonly #printEveryMs: number;
  #drawnAt: number;
  #isShown = false;

  /** @param printEveryMs interval of lines if stderr is not a terminal; by default, nothing is printed */
  constructor(io: Streams, printEveryMs = Number.POSITIVE_INFINITY) {
    this.#io = io;
    this.#printEveryMs = printEveryMs;
    this.#drawnAt = io.stderr.isTTY ? Number.NEGATIVE_INFINITY : io.runtime.monotonic();
  }

  /** @param format receives the number of columns; called only if a line is printed now */
  show(format: (width: number) => string, { always = false } = {}): void {
    const { stderr, runtime } = this.#io;
    const now = runtime.monotonic();
    const isDue = now - this.#drawnAt >= (stderr.isTTY ? REDRAW_MS : this.#printEveryMs);
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
  #doneBytes = 0;

  /** @param total bytes; undefined if unknown */
  constructor(io: Streams, title: string, total: number | undefined) {
    this.#line = new ProgressLine(io);
    this.#title = printable(title);
    this.#total = total;
  }

  /** Yields the chunks, and shows how many bytes have passed. */
  async *track(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      yield chunk;
      this.#doneBytes += chunk.length;
      this.#line.show(() => `${this.#share()}  ${this.#title}`);
    }
    this.#line.show(() => `${this.#share()}  checked, importing`, { always: true });
  }

  end(): void {
    this.#line.end();
  }

  #share(): string {
    const size = `${(this.#doneBytes / MEGABYTE).toFixed(1)} MB`;
    if (!this.#total) return size;
    const share = Math.min(1, this.#doneBytes / this.#total);
    const bar = '='.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH);
    return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)}%  ${size}`;
  }
}
