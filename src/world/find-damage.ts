import fs from 'node:fs';
import type { Runtime } from '../kernel/runtime.ts';
import { quickCheck } from '../store/check-file.ts';
import { prepared } from '../store/prepared.ts';
import type { World } from './world.ts';

/** A larger file would hold up requests for too long: SQLite checks a table at a time. */
const MAX_CHECKED_BYTES = 16 * 1024 * 1024;
/** The check rests this many times as long as each table took. */
const REST_FACTOR = 9;

const tables = prepared(({ $client }) =>
  $client
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    .pluck(),
);

/** Checks the file of a world table by table. @returns the problem; undefined if there is none */
export async function findDamage(
  world: World,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { file, generation } = world;
  if (file === undefined || signal.aborted || sizeOf(file) > MAX_CHECKED_BYTES) return undefined;
  const problemIn = (check: () => string | undefined) => {
    try {
      return check();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  let names: string[] = [];
  let problem = problemIn(() => {
    names = world.read((tx) => tables(tx).all());
    return undefined;
  });
  for (const name of names) {
    if (problem !== undefined) break;
    const begun = runtime.monotonic();
    problem = problemIn(() => world.read((tx) => quickCheck(tx.db.$client, name)));
    await runtime.sleep((runtime.monotonic() - begun) * REST_FACTOR, signal);
    if (signal.aborted || world.generation !== generation) return undefined;
  }
  if (problem === undefined) return undefined;
  return `The state in ${file} is damaged (${problem}). Reset the world, restore a snapshot, or stop and move the file away.`;
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
}
