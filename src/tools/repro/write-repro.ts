import zlib from 'node:zlib';
import { z } from 'zod';
import { LINE_SCHEMAS, problemOf, type Repro, type ReproLine } from './format.ts';
import { ReproFileError } from './limits.ts';

/** Returns the lines of a repro file. The number of lines in its end is set. @throws ReproFileError for what no line can hold */
export function linesOfRepro({ head, rows, inputs, end }: Repro): string[] {
  const lines: ReproLine[] = [head, ...rows, ...inputs];
  return [...lines, { ...end, lines: lines.length + 1 }].map(encodeLine);
}

export function writeRepro(repro: Repro, { compressed = true } = {}): Buffer {
  return packLines(linesOfRepro(repro), compressed);
}

export function packLines(lines: readonly string[], compressed = true): Buffer {
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  return compressed ? zlib.gzipSync(bytes) : bytes;
}

function encodeLine(line: ReproLine, index: number): string {
  // Rows hold no times, and there may be many.
  if (line.kind === 'row') return JSON.stringify(line);
  const schema: z.ZodType = LINE_SCHEMAS[line.kind];
  const encoded = z.safeEncode(schema, line);
  if (encoded.success) return JSON.stringify(encoded.data);
  throw new ReproFileError(`line ${index + 1}: ${problemOf(encoded.error)}`);
}
