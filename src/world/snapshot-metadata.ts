import type { Client } from '../store/open.ts';

/** What a snapshot says of itself. */
export interface SnapshotMetadata {
  /** Real time of saving, Unix ms. */
  savedAt: number;
  /** Where the sandbox clock stood then, Unix ms. */
  clockMs: number;
  /** Whether it was frozen there. */
  frozen: boolean;
}

/** Plain SQL, so that a snapshot of another version is read as it lies there. */
const CARD = 'SELECT saved_at, clock_offset_ms, clock_frozen_at FROM world';

/** @throws Error when it says nothing sensible */
export function readMetadata(client: Client): SnapshotMetadata {
  const row = client.prepare(CARD).raw().get();
  const [savedAt = Number.NaN, offsetMs = Number.NaN, frozenAt = 0] = Array.isArray(row)
    ? row.map(Number)
    : [];
  const frozen = frozenAt !== 0;
  const clockMs = frozen ? frozenAt : savedAt + offsetMs;
  if (!isTime(savedAt) || !isTime(clockMs)) throw new Error('it does not say when it was saved');
  return { savedAt, clockMs, frozen };
}

function isTime(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}
