import { printable } from '../kernel/printable.ts';
import type { CommandLineIo } from './io.ts';
import { cutOff, lengthOf } from './layout.ts';

const REDRAW_MS = 100;
const WIDEST_BAR = 24;
const NARROWEST_BAR = 8;
/** What stands beside the bar. */
const BESIDE = '[] 100%  1000.0 MB  a title of some length'.length;
const MEGABYTE = 1e6;

/** How far something has come, in one line on stderr; silent where that is no terminal. */
export class ProgressBar {
  readonly #io: Pick<CommandLineIo, 'stderr' | 'runtime'>;
  readonly #title: string;
  readonly #total: number | undefined;
  #done = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #shown = false;

  /** @param total bytes; undefined when nobody knows */
  constructor(
    io: Pick<CommandLineIo, 'stderr' | 'runtime'>,
    title: string,
    total: number | undefined,
  ) {
    this.#io = io;
    this.#title = title;
    this.#total = total;
  }

  /** The same chunks, counted while they are taken. */
  async *over(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      yield chunk;
      this.#done += chunk.length;
      this.#draw();
    }
    this.#draw('checked, moving into the inventory');
  }

  /** Takes the line away. */
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
    // The last column stays free: some terminals break the line there.
    const width = (stderr.columns ?? 80) - 1;
    const line = `${this.#share(width)}  ${last ?? printable(this.#title)}`;
    stderr.write(`\r\x1b[K${lengthOf(line) > width ? cutOff(line, width).trimEnd() : line}`);
  }

  #share(width: number): string {
    const size = `${(this.#done / MEGABYTE).toFixed(1)} MB`;
    if (this.#total === undefined || this.#total === 0) return size;
    const share = Math.min(1, this.#done / this.#total);
    const length = Math.min(WIDEST_BAR, Math.max(NARROWEST_BAR, width - BESIDE));
    const filled = Math.round(share * length);
    const bar = `[${'='.repeat(filled)}${' '.repeat(length - filled)}]`;
    return `${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${size}`;
  }
}
