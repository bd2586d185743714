import zlib from 'node:zlib';
import { z } from 'zod';
import { LINE_SCHEMAS, type Repro, type ReproLine } from './format.ts';

/** Returns the lines of a repro file. The number of lines in its end is set. */
export function linesOfRepro({ head, rows, inputs, end }: Repro): string[] {
  const lines: ReproLine[] = [head, ...rows, ...inputs];
  return [...lines, { ...end, lines: lines.length + 1 }].map(encodeLine);
}

export function writeRepro(repro: Repro, { compressed = true } = {}): Buffer {
  return packLines(linesOfRepro(repro), compressed);
}

export function packLines(lines: readonly string[], compressed: boolean): Buffer {
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  return compressed ? zlib.gzipSync(bytes) : bytes;
}

function encodeLine(line: ReproLine): string {
  // Rows hold no times, and there may be many.
  if (line.kind === 'row') return JSON.stringify(line);
  const schema: z.ZodType = LINE_SCHEMAS[line.kind];
  return JSON.stringify(z.encode(schema, line));
}
