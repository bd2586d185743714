import fs from 'node:fs';
import { PRIVATE_FILE } from './private-files.ts';

/** Beside a database file: what the file was like when it was last closed here. */
function markOf(file: string): string {
  return `${file}.closed`;
}

/** Notes that the file is closed, and was found whole. */
export function markClosed(file: string): void {
  try {
    fs.writeFileSync(markOf(file), stateOf(file), { mode: PRIVATE_FILE });
  } catch {
    // Only the next start takes longer.
  }
}

/** Whether nobody has touched the file since it was closed here. Whatever writes to it changes its times. */
export function isAsClosed(file: string): boolean {
  try {
    return fs.readFileSync(markOf(file), 'utf8') === stateOf(file);
  } catch {
    return false;
  }
}

export function removeClosedMark(file: string): void {
  fs.rmSync(markOf(file), { force: true });
}

function stateOf(file: string): string {
  const { ino, size, mtimeNs, ctimeNs } = fs.statSync(file, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(' ');
}
