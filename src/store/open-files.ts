import fs from 'node:fs';
import { lazily } from '../kernel/lazily.ts';

/** What a server has open without databases, and a little more. */
const OTHER_FILES = 32;
/** An open database holds three descriptors: its file, its log and the index of that. */
const FILES_OF_DATABASE = 3;

/**
 * Returns how many databases of a kind may be open at once: `usual`, or fewer if the process may have few files open, half
 * of which are left for connections.
 * @param share of this kind in all open databases
 */
export function maxOpenDatabases(
  usual: number,
  share: number,
  files: number | undefined = maxOpenFiles(),
): number {
  if (files === undefined) return usual;
  const all = (files - OTHER_FILES) / 2 / FILES_OF_DATABASE;
  return Math.min(Math.max(Math.floor(all * share), 1), usual);
}

/** Undefined elsewhere than on Linux, where Node.js raises the limit at its start. */
const maxOpenFiles = lazily((): number | undefined => {
  try {
    return readMaxOpenFiles(fs.readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return undefined;
  }
});

/** @param limits as in /proc/self/limits */
export function readMaxOpenFiles(limits: string): number | undefined {
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}
