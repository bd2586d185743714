import { expect, onTestFinished, test } from 'vitest';
import { acts, openLog, recordings, requests } from '../../src/requests/log-file.ts';
import { pruneLog } from '../../src/requests/recording-store.ts';
import { closeStore, type Store } from '../../src/store/open.ts';

const KEPT = 1_000;
const ENTRIES = 3_000;

/** A log with three recordings of 1,000 requests, each with an act. */
function longLog(): Store {
  const log = openLog(undefined);
  onTestFinished(() => closeStore(log));
  log.client.transaction(() => {
    for (const id of [1, 2, 3]) {
      log.db
        .insert(recordings)
        .values({ id, head: '{}', after: (id - 1) * KEPT })
        .run();
    }
    for (let seq = 1; seq <= ENTRIES; seq += 1) {
      const recording = Math.ceil(seq / KEPT);
      const entry = { seq, recording, head: '{}', headers: '[]', body: '', response: '' };
      log.db.insert(requests).values(entry).run();
      log.db.insert(acts).values({ recording, n: seq, act: '{}' }).run();
    }
  })();
  return log;
}

const seqsIn = (log: Store) => log.db.select({ seq: requests.seq }).from(requests).all();
const idsIn = (log: Store) => log.db.select({ id: recordings.id }).from(recordings).all();

test('a recording goes as a whole, its requests and acts a few at a time', () => {
  const log = longLog();
  const prune = () => pruneLog(log, ENTRIES, ENTRIES - KEPT, KEPT);
  expect(prune()).toBe(true);
  expect(idsIn(log)).toEqual([{ id: 3 }]);
  expect(seqsIn(log)).toHaveLength(ENTRIES - 250);
  expect(prune()).toBe(false);
  expect(seqsIn(log)).toHaveLength(ENTRIES - 500);
  for (let writes = 0; writes < 9; writes += 1) prune();
  expect(seqsIn(log)).toHaveLength(KEPT);
  expect(seqsIn(log)[0]).toEqual({ seq: ENTRIES - KEPT + 1 });
  expect(log.db.select().from(acts).all()).toHaveLength(KEPT);
});

test('entries that are not listed stay while a recording needs them', () => {
  const log = longLog();
  for (let writes = 0; writes < 12; writes += 1) pruneLog(log, ENTRIES, ENTRIES - 1, KEPT);
  expect(seqsIn(log)).toHaveLength(KEPT);
  expect(idsIn(log)).toEqual([{ id: 3 }]);
});
