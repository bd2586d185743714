import fs from 'node:fs';
import path from 'node:path';
import { describeFileError } from '../kernel/file-errors.ts';
import { CommandFailedError, UsageError } from './errors.ts';
import type { CommandLineIo } from './io.ts';

/** Means stdout where the name of a file is expected. */
export const STDOUT = '-';

/**
 * Writes to a temporary file next to the file, then renames it. A device or a pipe is written to directly.
 * @param file an absolute path
 * @param mode by default that of an existing file
 * @throws CommandFailedError if it cannot be written; then an existing file is unchanged
 */
export async function writeAtomically(
  file: string,
  content: Uint8Array | string,
  mode?: number,
): Promise<void> {
  const existing = fs.existsSync(file) ? fs.statSync(file) : undefined;
  const isDevice = existing?.isFile() === false;
  // A symbolic link to a file stays one. The name of the draft is not that of another process or of a file of the user.
  const target = existing ? fs.realpathSync(file) : file;
  const draft = isDevice ? file : `${target}.${process.pid}.part`;
  try {
    // An old draft would keep its mode.
    if (!isDevice) fs.rmSync(draft, { force: true });
    await fs.promises.writeFile(draft, content, { mode: mode ?? existing?.mode });
    // The umask may have narrowed it.
    if (existing && !isDevice && mode === undefined) fs.chmodSync(draft, existing.mode);
    if (!isDevice) fs.renameSync(draft, target);
  } catch (error) {
    if (!isDevice && fs.existsSync(draft)) fs.rmSync(draft);
    throw new CommandFailedError(
      `cannot write ${file}: ${describeFileError(error, 'folder not found')}`,
    );
  }
}

/** Returns the text of a JSON file. */
export function jsonText(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Rejects `-`, because stdout has the output of the command. @throws UsageError */
export function assertFile(option: string, file: string): void {
  if (file === STDOUT) throw new UsageError(`${option}: cannot be -; pass the name of a file`);
}

/** Returns the path of a file that can be written. @throws UsageError, also for `-` */
export function requireWritable(io: CommandLineIo, option: string, file: string): string {
  assertFile(option, file);
  const target = path.resolve(io.cwd, file);
  try {
    const stats = fs.statSync(target, { throwIfNoEntry: false });
    if (stats?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (!stats || stats.isFile()) fs.accessSync(path.dirname(target), fs.constants.W_OK);
    if (stats) fs.accessSync(target, fs.constants.W_OK);
    return target;
  } catch (error) {
    const reason = describeFileError(error, 'folder not found');
    throw new UsageError(`${option}: cannot write ${file}: ${reason}`);
  }
}
