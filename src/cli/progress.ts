import { printable, truncate } from '../kernel/printable.ts';
import { type CommandLineIo, DEFAULT_WIDTH, widthOf } from './io.ts';

const REDRAW_MS = 100;
const BAR_WIDTH = 24;

type Streams = Pick<CommandLineIo, 'stderr' | 'runtime'>;

/** A line on stderr that is rewritten. If stderr is not a terminal, nothing is printed. */
export class ProgressLine {
  readonly #io: Streams;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(io: Streams) {
    this.#io = io;
  }

  /** @param format called only if the line is drawn now; the last one always is */
  show(format: () => string, isLast = false): void {
    const { stderr, runtime } = this.#io;
    const now = runtime.monotonic();
    const isDue = isLast || now - this.#drawnAt >= REDRAW_MS;
    if (!stderr.isTTY || !isDue) return;
    this.#drawnAt = now;
    // Some terminals break the line at the last column.
    const width = (widthOf(stderr) ?? DEFAULT_WIDTH) - 1;
    stderr.write(`\r\x1b[K${truncate(format(), width)}`);
  }

  end(): void {
    if (this.#io.stderr.isTTY) this.#io.stderr.write('\r\x1b[K');
  }
}

/** Yields chunks, and shows on a terminal how many bytes have passed. @param total bytes; undefined if unknown */
export async function* withProgress(
  io: Streams,
  title: string,
  chunks: AsyncIterable<Uint8Array>,
  total: number | undefined,
): AsyncGenerator<Uint8Array> {
  const line = new ProgressLine(io);
  let doneBytes = 0;
  try {
    for await (const chunk of chunks) {
      yield chunk;
      doneBytes += chunk.length;
      line.show(() => `${shareOf(doneBytes, total)}  ${printable(title)}`, doneBytes === total);
    }
  } finally {
    line.end();
  }
}

function shareOf(doneBytes: number, total: number | undefined): string {
  const size = `${(doneBytes / 1e6).toFixed(1)} MB`;
  if (!total) return size;
  const share = Math.min(1, doneBytes / total);
  return `${barOf(share)} ${String(Math.floor(share * 100)).padStart(3)}%  ${size}`;
}

export function barOf(share: number): string {
  return `[${'='.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH)}]`;
}
