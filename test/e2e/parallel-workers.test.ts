import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import { emptyDirectory, ROOT, startProcess } from '../support/sandlot-process.ts';

interface Seen {
  world: string;
  key_id: string;
  order: string;
  clock: string;
  orders: number;
  events: string[];
  fault_id: string;
  rejections: string[];
  faults: [code: string, hits: number][];
}

const CODES = ['conflict', 'forbidden', 'not_found', 'internal_error'];

test('four worker processes share one server, each in a world of its own, and none sees another', async () => {
  const frozen = ['--frozen-at', '2026-01-05T09:00:00Z'];
  const server = await startProcess(emptyDirectory(), '--inventory', '200', ...frozen);
  const seen = await Promise.all([1, 2, 3, 4].map((n) => work(server.url, n)));

  for (const [index, each] of seen.entries()) {
    expect(each).toMatchObject({ world: `w${index + 1}`, orders: 1 });
    expect(each.events).toEqual(['order.recorded', 'order.transfer_started', 'order.refunded']);
    // Worker n moved its own clock by n hours.
    expect(each.clock).toBe(`2026-01-05T${String(10 + index).padStart(2, '0')}:00:00.000Z`);
    // Its own fault was injected n times, and no other worker's.
    const code = CODES[index] ?? '';
    expect(each.rejections).toEqual(new Array(index + 1).fill(code));
    expect(each.faults).toEqual([[code, index + 1]]);
  }
  expect(new Set(seen.map((each) => each.fault_id)).size).toBe(4);
  expect(new Set(seen.map((each) => each.key_id)).size).toBe(4);
  // No id is issued in two worlds, not for the same calls in forks of one world either.
  expect(new Set(seen.map((each) => each.order)).size).toBe(4);

  const control = new ControlClient({ baseUrl: server.url, fetch });
  expect(await control.get('/orders')).toMatchObject({ orders: [] });
  expect(await control.get('/faults')).toMatchObject({ faults: [] });
  expect(await control.get('/clock')).toMatchObject({ now: '2026-01-05T09:00:00.000Z' });
});

/** Runs a worker, and gives what it printed. */
function work(url: string, n: number): Promise<Seen> {
  const script = path.join(ROOT, 'test/e2e/worker.mjs');
  const child = spawn(process.execPath, [script, url, String(n)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    // Not at `exit`: then some of the output may not have been read.
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(printed) as Seen);
      else reject(new Error(`worker ${n} ended with ${code}`));
    });
  });
}
