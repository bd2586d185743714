import { expect, onTestFinished, test } from 'vitest';
import { openLog } from '../../../src/requests/log-file.ts';
import { closeStore, type Store } from '../../../src/store/open.ts';
import {
  acts,
  makeTables,
  pruneRecordings,
  recordings,
} from '../../../src/tools/repro/recording/recording-store.ts';

const KEPT = 1_000;
const ENTRIES = 3_000;

/** A log with three recordings of 1,000 requests, each with an act. */
function longLog(): Store {
  const log = openLog(undefined);
  makeTables(log);
  onTestFinished(() => closeStore(log));
  log.client.transaction(() => {
    for (const id of [1, 2, 3]) {
      log.db
        .insert(recordings)
        .values({ id, key: `k${id}`, head: '{}', after: (id - 1) * KEPT })
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

test('a recording goes as a whole, its acts a few at a time, and needs the entries after it', () => {
  const log = longLog();
  const prune = () => pruneRecordings(log, ENTRIES, KEPT);
  expect(prune()).toEqual({ after: 2 * KEPT, hasDeleted: true });
  expect(idsIn(log)).toEqual([{ id: 3 }]);
  expect(actsIn(log)).toHaveLength(ENTRIES - 250);
  expect(prune()).toEqual({ after: 2 * KEPT, hasDeleted: false });
  for (let writes = 0; writes < 9; writes += 1) prune();
  expect(actsIn(log)).toHaveLength(KEPT);
});

test('without a recording, no entry is needed', () => {
  const log = openLog(undefined);
  makeTables(log);
  onTestFinished(() => closeStore(log));
  expect(pruneRecordings(log, ENTRIES, KEPT)).toEqual({ after: ENTRIES, hasDeleted: false });
});
