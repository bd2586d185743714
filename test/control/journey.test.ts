import { expect, test } from 'vitest';
import { withAttempt } from '../support/receiver.ts';
import { readCopyOf, stateFolder, worldFileIn } from '../support/state-folder.ts';

test('each moment of a advance is on disk before anything is done then, so that a kill turns no clock back', async () => {
  const dataDir = stateFolder();
  const { at, hook } = await withAttempt(500, { dataDir });
  const attemptedAt: string[] = [];
  const onDisk: string[] = [];
  hook.response = (response) => {
    onDisk.push(clockOnDisk(dataDir));
    void at.control.get<{ now: string }>('/clock').then(({ now }) => {
      attemptedAt.push(now);
      response.writeHead(500).end();
    });
  };
  await at.control.post('/clock/advance', { by: '3m' });
  expect(attemptedAt.length).toBe(3);
  expect(onDisk).toEqual(attemptedAt);
});

/** Where the clock would stand if the process ended now. */
function clockOnDisk(dataDir: string): string {
  const frozenAt = readCopyOf(worldFileIn(dataDir), (db) =>
    db.prepare('SELECT clock_frozen_at FROM world').pluck().get(),
  );
  return new Date(Number(frozenAt)).toISOString();
}
