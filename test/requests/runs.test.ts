import { expect, onTestFinished, test } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import { sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import { DEFAULT_CREDENTIAL } from '../../src/market/defaults.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const KEY: { key_id: string; secret: string } = {
  key_id: DEFAULT_CREDENTIAL.keyId,
  secret: DEFAULT_CREDENTIAL.secret,
};

async function open(dataDir?: string) {
  const shop = await openSandbox({ dataDir, inventory: 5, frozenAt: NOW });
  onTestFinished(() => shop.close());
  const app = shop.app;
  const fetch = async (target: string, init?: object) => app.fetch(new Request(target, init));
  const control = new ControlClient({ baseUrl: 'http://localhost', fetch });
  const search = (key = KEY) =>
    sendSigned(
      fetch,
      signPartnerRequest(
        'http://localhost',
        key,
        { method: 'GET', target: '/api/partner/v1/orders' },
        Date.now(),
      ),
    );
  /** The log entries of the default world, oldest first. */
  const logged = () =>
    shop.requests.list(shop.worlds.require('default'), { limit: 100 }).toReversed();
  return { shop, control, search, logged };
}

test('each transaction of a request has a number in order, its real time and its sandbox time', async () => {
  const { control, search, logged } = await open();
  await search();
  await control.post('/clock/advance', { by: '1h' });
  await search();
  const runs = logged().map((entry) => entry.runs);
  const numbers = runs.flat().map(({ n }) => n);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  expect(runs[0]).toEqual([{ n: 1, at: expect.any(Number), now: NOW }]);
  expect(runs.at(-1)).toEqual([
    { n: expect.any(Number), at: expect.any(Number), now: NOW + 3_600_000 },
  ]);
});

test('a request without a valid signature has a run, which gives its place among the others', async () => {
  const { search, logged } = await open();
  await search({ ...KEY, secret: 'x'.repeat(40) });
  const runs = [{ n: 1, at: expect.any(Number), now: NOW }];
  expect(logged().map((entry) => [entry.status, entry.runs])).toEqual([[401, runs]]);
});

test('an injected delay splits a request into two runs, around those of others', async () => {
  const { control, search, logged } = await open();
  await control.post('/faults', { match: { first: 1 }, effect: { delay_ms: 50, delay: 'before' } });
  const delayed = search();
  await search();
  await delayed;
  const [, other, split] = logged().map(({ runs }) => runs.map(({ n }) => n));
  expect({ other, split }).toEqual({ other: [3], split: [2, 4] });
});

test('numbers go on over a reset and a restart', async () => {
  const dataDir = stateFolder();
  const first = await open(dataDir);
  await first.search();
  await first.control.post('/reset');
  await first.search();
  const before = first.logged().at(-1)?.runs.at(-1)?.n ?? 0;
  expect(before).toBeGreaterThan(2);
  await first.shop.close();
  const second = await open(dataDir);
  await second.search();
  expect(second.logged().at(-1)?.runs).toMatchObject([{ n: before + 1 }]);
});
