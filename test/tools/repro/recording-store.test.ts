import { expect, onTestFinished, test } from 'vitest';
import { openLog } from '../../../src/requests/log-file.ts';
import { closeStore, type Store } from '../../../src/store/open.ts';
import type { RecordingHead } from '../../../src/tools/repro/recording/recording-store.ts';
import {
  acts,
  MAX_BASE_BYTES,
  makeTables,
  pruneRecordings,
  recordings,
  writeBegin,
} from '../../../src/tools/repro/recording/recording-store.ts';

const KEPT = 1_000;
const ENTRIES = 3_000;
const HEAD: RecordingHead = {
  began: 0,
  base: null,
  settings: {
    ...{ base_url: 'http://localhost', rate_limits: {}, last_id_series: 0 },
    ...{ frozen_at: null, default_credential: true },
  },
  ended: null,
};

function emptyLog(): Store {
  const log = openLog(undefined);
  makeTables(log);
  onTestFinished(() => closeStore(log));
  return log;
}

/** A log with three recordings of 1,000 requests, each with an act. */
function longLog(): Store {
  const log = emptyLog();
  log.client.transaction(() => {
    for (const id of [1, 2, 3]) {
      log.db
        .insert(recordings)
        .values({ id, key: `k${id}`, world: 'default', head: HEAD, after: (id - 1) * KEPT })
        .run();
    }
    for (let n = 1; n <= ENTRIES; n += 1) {
      log.db
        .insert(acts)
        .values({ recording: Math.ceil(n / KEPT), n, act: '{}' })
        .run();
    }
  })();
  return log;
}

const idsIn = (log: Store) => log.db.select({ id: recordings.id }).from(recordings).all();
const actsIn = (log: Store) => log.db.select({ n: acts.n }).from(acts).all();

test('a recording goes as a whole, with its acts, and needs the entries after it', () => {
  const log = longLog();
  const prune = () => pruneRecordings(log, ENTRIES, KEPT);
  for (let times = 0; times < 2; times += 1) {
    expect(prune()).toBe(2 * KEPT);
    expect(idsIn(log)).toEqual([{ id: 3 }]);
    expect(actsIn(log)).toHaveLength(KEPT);
  }
});

test('without a recording, no entry is needed', () => {
  expect(pruneRecordings(emptyLog(), ENTRIES, KEPT)).toBe(ENTRIES);
});

test('beyond the limit, the oldest bases are deleted, and their recordings stay', () => {
  const log = emptyLog();
  const base = Buffer.alloc(MAX_BASE_BYTES.memory / 2);
  for (const key of ['a', 'b', 'c']) {
    const counts = { requests: 0, reads: 0, snapshots: new Set<string>(), isWritten: true };
    writeBegin(log, { key, ...HEAD, ...counts }, { world: 'default', head: HEAD, after: 0, base });
  }
  const left = log.db.select({ key: recordings.key, base: recordings.base }).from(recordings);
  expect(left.all().map((row) => [row.key, row.base?.length])).toEqual([
    ['a', undefined],
    ['b', base.length],
    ['c', base.length],
  ]);
});
