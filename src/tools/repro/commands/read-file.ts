import fs from 'node:fs';
import { usageFrom } from '../../../cli/errors.ts';
import type { CommandLineIo } from '../../../cli/io.ts';
import { openFile } from '../../../cli/read-data.ts';
import type { Repro } from '../format.ts';
import { ReproFileError } from '../limits.ts';
import { readRepro } from '../read-repro.ts';

/** Reads a repro file, or stdin for `-`. @throws UsageError if it is unusable */
export async function readReproFile(io: CommandLineIo, file: string): Promise<Repro> {
  const chunks =
    file === '-' ? io.stdinChunks() : fs.createReadStream('', { fd: openFile(io, 'file', file) });
  try {
    return await readRepro(chunks);
  } catch (error) {
    throw usageFrom(error, ReproFileError, `${file}: `);
  }
}
