import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { randomSecret } from '../../kernel/ids.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../store/private-files.ts';
import { groupedObservation, type Run, runSchema } from './export-file.ts';
import type { Observed } from './observations.ts';

const RUN_LENGTH = 20;

/** What is kept of a world. */
export interface WorldRecord {
  run: Run;
  /** Number of the newest entry of the request log that the rules have read. */
  seen: number;
  observations: Observed[];
}

const recordSchema = z.object({
  run: runSchema,
  seen: z.int().min(0),
  observations: z.array(z.unknown()),
});

/** @returns a run that begins */
export function newRun(world: string): Run {
  return { run: randomSecret(RUN_LENGTH), worlds: [world], requests: 0, attempts: 0 };
}

/** Reads the file of a world. Leaves out what sandlot cannot have written. @param file undefined in memory */
export function readRecord(file: string | undefined, world: string): WorldRecord {
  const none = { run: newRun(world), seen: 0, observations: [] };
  if (file === undefined || !fs.existsSync(file)) return none;
  const { data } = recordSchema.safeParse(parse(fs.readFileSync(file, 'utf8')));
  if (!data) return none;
  const observations = data.observations.flatMap((each) => {
    const observation = groupedObservation.safeParse(each);
    return observation.success ? [observation.data] : [];
  });
  return { ...data, observations };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Replaces the file of a world: after a kill, it holds either what it did or all of this. */
export function writeRecord(file: string, record: WorldRecord): void {
  makePrivateFolder(path.dirname(file));
  const temporary = `${file}.new`;
  fs.writeFileSync(temporary, JSON.stringify(record), { mode: PRIVATE_FILE });
  fs.renameSync(temporary, file);
}

export function removeRecord(file: string): void {
  fs.rmSync(file, { force: true });
}
