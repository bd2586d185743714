import type { Client } from '../store/open.ts';

/** What a snapshot says of itself. */
export interface SnapshotCard {
  /** Real time of saving, Unix ms. */
  savedAt: number;
  /** Where the sandbox clock stood then, Unix ms. */
  clockMs: number;
  /** Whether it was frozen there. */
  frozen: boolean;
}

/** Plain SQL, so that a snapshot of another version is read as it lies there. */
const CARD = 'SELECT saved_at, clock_offset_ms, clock_frozen_at FROM world';

/** @throws Error when there is no world inside */
export function readCard(client: Client): SnapshotCard {
  const row = client.prepare(CARD).raw().get();
  const [savedAt, offsetMs, frozenAt] = Array.isArray(row) ? row.map(Number) : [];
  if (savedAt === undefined || offsetMs === undefined || frozenAt === undefined) {
    throw new Error('there is no world inside');
  }
  const frozen = frozenAt !== 0;
  return { savedAt, clockMs: frozen ? frozenAt : savedAt + offsetMs, frozen };
}
