import { inspect } from 'node:util';
import { escapeControls } from '../kernel/printable.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { MINUTE } from '../kernel/time.ts';
import { explainDiskFull } from '../store/errors.ts';

/** Writes errors to stderr; a full disk, which every request meets, at most once a minute. */
export function reportToStderr(
  runtime: Runtime,
  redact: (text: string) => string,
): (error: unknown) => void {
  let silentUntil = 0;
  return (error) => {
    const full = explainDiskFull(error);
    if (full === undefined) {
      process.stderr.write(
        `sandlot: unexpected error: ${escapeControls(redact(inspect(error)))}\n`,
      );
    } else if (runtime.monotonic() >= silentUntil) {
      silentUntil = runtime.monotonic() + MINUTE;
      process.stderr.write(`sandlot: ${full}; free some space; sandlot then continues\n`);
    }
  };
}
