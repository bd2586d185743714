import { printable } from '../kernel/printable.ts';
import { type CommandLineIo, DEFAULT_WIDTH, widthOf } from './io.ts';
import { lengthOf, truncate } from './layout.ts';

const REDRAW_MS = 100;
const MAX_BAR = 24;
const MIN_BAR = 8;
/** Columns next to the bar. */
const OTHER_WIDTH = '[] 100%  1000.0 MB  a title of some length'.length;
const MEGABYTE = 1e6;

/** A progress bar on stderr; prints nothing if stderr is not a terminal. */
export class ProgressBar {
  readonly #io: Pick<CommandLineIo, 'stderr' | 'runtime'>;
  readonly #title: string;
  readonly #total: number | undefined;
  #done = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #shown = false;

  /** @param total bytes; undefined if unknown */
  constructor(
    io: Pick<CommandLineIo, 'stderr' | 'runtime'>,
    title: string,
    total: number | undefined,
  ) {
    this.#io = io;
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
    if (this.#shown) this.#io.stderr.write('\r\x1b[K');
    this.#shown = false;
  }

  #draw(last?: string): void {
    const { stderr, runtime } = this.#io;
    const now = runtime.monotonic();
    if (!stderr.isTTY || (last === undefined && now - this.#drawnAt < REDRAW_MS)) return;
    this.#drawnAt = now;
    this.#shown = true;
    // Some terminals break the line at the last column.
    const width = (widthOf(stderr) ?? DEFAULT_WIDTH) - 1;
    const line = `${this.#share(width)}  ${last ?? printable(this.#title)}`;
    stderr.write(`\r\x1b[K${lengthOf(line) > width ? truncate(line, width).trimEnd() : line}`);
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
