import fs from 'node:fs';
import path from 'node:path';
import { notFound } from '../../kernel/errors.ts';
import { openLog } from '../../requests/log-file.ts';
import { readFromFile } from '../../store/check-file.ts';
import { assertValidName, DEFAULT_WORLD, worldFile, worldNamesIn } from '../../world/files.ts';
import { runExport } from './job.ts';
import { type ExportOptions, jobFromFile } from './recorded-job.ts';
import { makeTables } from './recording/recording-store.ts';
import type { ExportedRepro } from './result.ts';
import { secretsIn } from './rows.ts';

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
  const own = { world, madeAt: now, secrets, worldNames: worldNamesIn(worlds) };
  const open = (name: string) => {
    const log = openLog(name);
    makeTables(log);
    return log;
  };
  return runExport(jobFromFile({ options, ...own, reason: null, logFile, seed }, open));
}
