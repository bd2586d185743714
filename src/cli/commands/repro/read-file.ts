import fs from 'node:fs';
import type { Repro } from '../../../repro/format.ts';
import { readRepro } from '../../../repro/read-repro.ts';
import { ReproFileError } from '../../../repro/unpack.ts';
import { usageFrom } from '../../errors.ts';
import type { CommandLineIo } from '../../io.ts';
import { openFile } from '../../read-data.ts';

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
