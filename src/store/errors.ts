/** A state on disk that cannot be used. The message is a sentence for the person who started sandlot. */
export class UnusableStateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableStateError';
  }
}

/** Codes of Node.js and SQLite for a full disk. The shared memory of a write-ahead log is a file too. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);
/** SQLite has one code for a quota, a limit of the process and a broken disk. */
const NO_SPACE = new Set(['EFBIG', 'SQLITE_IOERR_WRITE']);

/** Returns a message if the cause of an error is a full disk; undefined for other errors. */
export function explainDiskFull(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (FULL.has(code)) return 'the disk is full';
    if (NO_SPACE.has(code)) return 'the disk is full, or a quota or size limit is reached';
  }
  return undefined;
}
