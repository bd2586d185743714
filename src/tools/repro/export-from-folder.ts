import fs from 'node:fs';
import path from 'node:path';
import { notFound } from '../../kernel/errors.ts';
import { openLog } from '../../requests/log-file.ts';
import { readFromFile } from '../../store/check-file.ts';
import { closeStore } from '../../store/open.ts';
import { assertValidName, DEFAULT_WORLD, worldFile, worldNamesIn } from '../../world/files.ts';
import { makeTables } from './recording/recording-store.ts';
import type { ExportedRepro } from './result.ts';
import { secretsIn } from './rows.ts';
import { type ExportOptions, runExport } from './run-export.ts';

/**
 * Exports what a stopped sandbox has recorded; its state folder must be locked.
 * @param now real time, Unix ms
 * @throws not_found, conflict; UnusableStateError for a damaged file
 */
export async function exportFromFolder(
  dataDir: string,
  world: string = DEFAULT_WORLD,
  options: ExportOptions,
  now: number,
): Promise<ExportedRepro> {
  assertValidName(world);
  const worlds = path.join(dataDir, 'worlds');
  const [file, logFile] = [
    worldFile(worlds, world),
    worldFile(path.join(dataDir, 'requests'), world),
  ];
  for (const each of [file, logFile]) {
    if (!fs.existsSync(each)) throw notFound(`world: ${world} is not in ${dataDir}`);
  }
  const { seed, secrets } = readFromFile(file, (client) => ({
    seed: String(client.prepare('SELECT seed FROM world').pluck().get()),
    secrets: secretsIn(client),
  }));
  const worldNames = worldNamesIn(worlds);
  // The log may be of another version, or of a sandbox that did not record.
  const log = openLog(logFile);
  makeTables(log);
  closeStore(log);
  const own = { world, seed, secrets, worldNames, madeAt: now };
  return runExport({ ...own, options, log: logFile, reason: null });
}
