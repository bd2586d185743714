import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { printable } from '../../kernel/printable.ts';

/** A message may quote the file. */
const MAX_MESSAGE = 300;

/** A repro file is unusable. The message is one sentence. */
export class ReproFileError extends Error {
  constructor(message: string) {
    const shown = printable(message);
    super(shown.length > MAX_MESSAGE ? `${shown.slice(0, MAX_MESSAGE)}…` : shown);
    this.name = 'ReproFileError';
  }
}

const MEGABYTE = 1024 * 1024;
const NEWLINE = 0x0a;

/** Yields the bytes of a file, unpacked if it is compressed. */
export async function* unpacked(
  source: Uint8Array | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const chunks = source instanceof Uint8Array ? [source] : source;
  const { first, all } = await peek(chunks);
  if (first[0] !== 0x1f || first[1] !== 0x8b) return yield* all;
  const gunzip = zlib.createGunzip();
  const done = pipeline(Readable.from(all, { objectMode: false }), gunzip);
  // The loop below throws the same error.
  done.catch(() => {});
  yield* gunzip;
}

async function peek(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ first: Uint8Array; all: AsyncGenerator<Uint8Array> }> {
  const iterator = toAsync(chunks);
  let first: Uint8Array = new Uint8Array();
  while (first.length < 2) {
    const next = await iterator.next();
    if (next.done) break;
    first = Buffer.concat([first, next.value]);
  }
  async function* all() {
    yield first;
    yield* iterator;
  }
  return { first, all: all() };
}

async function* toAsync(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

export interface TextLine {
  bytes: Buffer;
  /** False for a last line without a line break. */
  complete: boolean;
}

/** @throws ReproFileError over a limit: of all lines, or of one */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  maxLineBytes: number,
): AsyncGenerator<TextLine> {
  let parts: Buffer[] = [];
  let size = 0;
  let lines = 1;
  let lineStart = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new ReproFileError(`the file is larger than ${maxBytes / MEGABYTE} MB unpacked`);
    }
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const assertLine = (end: number) => {
      if (end - lineStart <= maxLineBytes) return;
      throw new ReproFileError(`line ${lines}: longer than ${maxLineBytes / MEGABYTE} MB`);
    };
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const lineEnd = size - rest.length + end;
      assertLine(lineEnd);
      yield { bytes: Buffer.concat([...parts, rest.subarray(0, end)]), complete: true };
      parts = [];
      rest = rest.subarray(end + 1);
      lines += 1;
      lineStart = lineEnd + 1;
    }
    assertLine(size);
    // Copied: a stream may reuse its memory.
    if (rest.length > 0) parts.push(Buffer.from(rest));
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), complete: false };
}
