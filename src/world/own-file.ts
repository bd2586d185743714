import fs from 'node:fs';
import { CodedError } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';

/** How often a file that is written to is checked to be in place. */
const CHECK_EVERY_MS = 100;

/** A file that must stay where it was when it was opened. */
export class OwnFile {
  readonly path: string;
  readonly #inode: number | undefined;
  readonly #runtime: Runtime;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, runtime: Runtime) {
    this.path = path;
    this.#inode = inodeOf(path);
    this.#runtime = runtime;
  }

  /** @throws internal_error if the file was deleted, moved or replaced: writes would be lost */
  assertInPlace(): void {
    if (inodeOf(this.path) === this.#inode) return;
    throw new CodedError(
      'internal_error',
      `${this.path} was deleted, moved or replaced while the sandbox used it, so nothing more can be stored; start the sandbox again`,
    );
  }

  /** As `assertInPlace`, at most once per `CHECK_EVERY_MS`. */
  assertLately(): void {
    const now = this.#runtime.monotonic();
    if (now - this.#checkedAt < CHECK_EVERY_MS) return;
    this.assertInPlace();
    this.#checkedAt = now;
  }
}

function inodeOf(path: string): number | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.ino;
}
