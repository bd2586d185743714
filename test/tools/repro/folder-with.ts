import fs from 'node:fs';
import path from 'node:path';
import type { Repro } from '../../../src/tools/repro/format.ts';
import { writeRepro } from '../../../src/tools/repro/repro-lines.ts';
import { type CommandLineOptions, commandLine } from '../../cli/command-line.ts';
import { stateFolder } from '../../support/state-folder.ts';

/** A folder with repro files, and a command line in it. */
export function folderWith(files: Record<string, Repro>, io: CommandLineOptions = {}) {
  const cwd = stateFolder();
  for (const [name, repro] of Object.entries(files)) {
    fs.writeFileSync(path.join(cwd, name), writeRepro(repro));
  }
  return { cwd, run: commandLine(undefined, { cwd, ...io }) };
}
