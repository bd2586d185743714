import { expect, test } from 'vitest';
import type { Runtime } from '../../src/kernel/runtime.ts';
import { type Queued, WriteQueue } from '../../src/requests/write-queue.ts';
import { BLANK_ENTRY } from '../support/blank-entry.ts';

const CHUNK = 100;

interface Machine {
  runtime: Runtime;
  /** Lets time pass, with the timers that fall due. */
  pass(ms: number): void;
}

function machine(): Machine {
  let now = 0;
  let timer: { at: number; task: () => void } | undefined;
  const pass = (ms: number) => {
    const end = now + ms;
    while (timer && timer.at <= end) {
      const { at, task } = timer;
      timer = undefined;
      now = Math.max(now, at);
      task();
    }
    now = Math.max(now, end);
  };
  const runtime: Runtime = {
    now: () => now,
    monotonic: () => now,
    sleep: () => Promise.reject(new Error('not used')),
    after: (ms, task) => {
      timer = { at: now + ms, task };
      return () => {
        timer = undefined;
      };
    },
  };
  return { runtime, pass };
}

function entry(n: number, body = ''): Queued {
  return { order: n, entry: { ...BLANK_ENTRY, head: String(n), body } };
}

function headOf(record: Queued): string {
  return 'entry' in record ? record.entry.head : '';
}

function queueOn(
  { runtime, pass }: Machine,
  { limit = 10_000, write = (_written: string[]) => {} } = {},
) {
  const written: string[] = [];
  const reported: unknown[] = [];
  const queue = new WriteQueue({
    runtime,
    limit,
    report: (error) => reported.push(error),
    write: (entries) => {
      // A write takes 1 ms.
      pass(1);
      const heads = entries.map(headOf);
      write(heads);
      written.push(...heads);
    },
  });
  return { queue, written, reported };
}

test('a write empties the queue after 25 ms, and the next one waits 48 times as long as it took', () => {
  const at = machine();
  const { queue, written } = queueOn(at);
  queue.push(entry(1));
  at.pass(24);
  expect(written).toEqual([]);
  at.pass(2);
  expect(written).toEqual(['1']);
  // Time stands at 26, so writing rests until 26 + 48.
  queue.push(entry(2));
  at.pass(47);
  expect(written).toEqual(['1']);
  at.pass(1);
  expect(written).toEqual(['1', '2']);
});

test('under any load at most 2% of the time is spent writing', () => {
  const at = machine();
  let writes = 0;
  const { queue } = queueOn(at, { write: () => (writes += 1) });
  for (let ms = 0; ms < 10_000; ms += 1) {
    queue.push(entry(ms));
    at.pass(1);
  }
  // Each write takes 1 ms of these 10,000.
  expect(writes).toBeGreaterThan(150);
  expect(writes).toBeLessThanOrEqual(10_000 * 0.021);
});

test('the oldest entries are dropped if writing does not keep up, and flush writes the newest in order', () => {
  const { queue, written } = queueOn(machine(), { limit: 500 });
  for (let n = 0; n < 2_000; n += 1) {
    queue.push(entry(n));
    expect(queue.length).toBeLessThan(500 + CHUNK);
  }
  queue.flush();
  expect(written).toEqual(Array.from({ length: 500 }, (_, n) => String(1_500 + n)));
  expect(queue.length).toBe(0);
});

test('entries stay while the disk is full, and are written with the next ones', () => {
  const at = machine();
  let full = true;
  const { queue, written, reported } = queueOn(at, {
    write: () => {
      if (full) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    },
  });
  queue.push(entry(1));
  at.pass(30);
  expect([queue.length, written.length, reported.length]).toEqual([1, 0, 1]);
  full = false;
  queue.push(entry(2));
  at.pass(30);
  expect(written).toEqual(['1', '2']);
});

test('entries that cannot be written for another reason are dropped', () => {
  const at = machine();
  const { queue, reported } = queueOn(at, {
    write: () => {
      throw new Error('broken');
    },
  });
  queue.push(entry(1));
  at.pass(30);
  expect([queue.length, reported.length]).toEqual([0, 1]);
});

test('at most 32 MB wait to be written', () => {
  const { queue, written } = queueOn(machine());
  const large = entry(0, 'x'.repeat(1024 * 1024));
  for (let n = 0; n < 32; n += 1) queue.push(large);
  expect(queue.length).toBeLessThan(32);
  expect(written.length).toBeGreaterThan(0);
});
