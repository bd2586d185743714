import { describe, expect, onTestFinished, test } from 'vitest';
import { ControlClient } from '../../../src/client/control-client.ts';
import { sendSigned, signPartnerRequest } from '../../../src/client/partner-client.ts';
import { MENU } from '../../../src/dashboard/pages/index.ts';
import { createSandbox } from '../../../src/index.ts';
import { urlOf } from '../../../src/sandbox/sandbox.ts';
import { OpenedRepro } from '../../../src/tools/repro/open-file.ts';
import { readRepro } from '../../../src/tools/repro/read-repro.ts';
import { openFile } from '../../../src/tools/repro/replay-file.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import { commandLine } from '../../cli/command-line.ts';
import { startBrowser } from '../../support/browser.ts';
import { documentedFetch } from '../../support/openapi/watch.ts';
import { magic, type OrderDetail, orderFor, requestQuote } from '../../support/orders.ts';
import { focused, lookAt } from '../../support/page-checks.ts';
import { INVENTORY, sandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { openTab } from '../../support/tab.ts';

const browser = await startBrowser();

interface State {
  at: number;
  first: number;
  last: number;
  digest: string;
  input: { text: string; result: string; request_id: string | null; time: string } | null;
  difference: { type: string; id: string; change: string; fields: object }[];
  discarded: number;
}

/** A file with sales, moves, webhooks, a fault, clock advances, a snapshot that is restored, settlements and payouts. */
const made = (async () => {
  const at = await createSandbox({ inventory: INVENTORY, port: false, rateLimits: false });
  const { control } = at;
  await control.put('/webhooks', { url: 'http://127.0.0.1:9/hook', secret: 'a-long-secret-1' });
  const effect = { code: 'internal_error', status: 500 };
  await control.post('/faults', { match: { path: '/quotes', nth: 2 }, effect });
  const first = await orderFor(at, 0);
  await control.post('/snapshots', { name: 'sold' });
  await control.post(`/orders/${first.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
  await control.post('/clock/advance', { by: '1m' });
  await control.post('/snapshots/sold/restore', { same_ids: true });
  await control.post(`/orders/${first.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
  const second = await orderFor(at, 1);
  for (const n of [2, 3]) await requestQuote(at, (await seededListing(n)).domain);
  await orderFor(at, magic('auto-complete', 199_900));
  await at.idle();
  await control.delete('/webhooks', { environment: 'SANDBOX' });
  await control.post('/clock/advance', { by: '40d' });
  await control.post('/settlements/run');
  await control.post('/payouts/run');
  await at.call({ method: 'GET', target: '/api/partner/v1/domains/search?q=a' });
  await at.fetch(`${at.url}/api/partner/v1/orders`);
  const repro = await readRepro((await at.exportRepro()).bytes);
  await at.close();
  const replay = await openFile(repro);
  const digests = new Map([[0, replay.digest()]]);
  for await (const { input } of replay.perform()) {
    if (input.kind === 'act') digests.set(input.n, replay.digest());
  }
  await replay.close();
  return { repro, digests, first, second, acts: [...digests.keys()] };
})();

/** Serves the state after an act of the file, the last by default. */
async function opened(at = Number.POSITIVE_INFINITY) {
  const file = await made;
  const served = await OpenedRepro.open(file.repro, at);
  onTestFinished(() => served.close());
  const url = urlOf(await served.listen('127.0.0.1', 0));
  const fetch = documentedFetch((target, init) => globalThis.fetch(target, init as RequestInit));
  const control = new ControlClient({ baseUrl: url, fetch });
  const step = (body: object) => control.post<State>('/repro/step', body);
  const state = () => control.get<State>('/repro');
  const run = commandLine(undefined, { fetch, env: { SANDLOT_URL: url } });
  return { ...file, served, url, fetch, control, step, state, run };
}

test('stepping back over all acts and forth again gives the digests of a replay', async () => {
  const { acts, digests, step, state, repro } = await opened();
  expect(acts.length).toBeGreaterThan(60);
  const causes = repro.inputs.flatMap((each) => (each.kind === 'act' ? each.cause.type : []));
  expect(causes).toEqual(expect.arrayContaining(['moves', 'clock.to', 'attempt', 'outcome']));
  expect((await state()).digest).toBe(repro.end.digest);
  for (const n of acts.toReversed().slice(1)) {
    const { at, digest } = await step({ by: -1 });
    expect({ at, digest }).toEqual({ at: n, digest: digests.get(n) });
  }
  // The copies from which steps start are 50 acts apart.
  for (const n of [...acts.slice(1, 9), ...acts.slice(47, 54)]) {
    const { at, digest, discarded } = await step(n === acts[47] ? { to: n } : { by: 1 });
    expect({ at, digest, discarded }).toEqual({ at: n, digest: digests.get(n), discarded: 0 });
  }
});

test('a step to an act shows its request, how it changed the state, and the log up to it', async () => {
  const { step, control, repro, second } = await opened(0);
  const order = requestsOf(repro.inputs).filter(({ target }) => target.endsWith('/orders'))[1];
  const [n = 0] = order?.acts ?? [];
  const state = await step({ to: n });
  expect(state).toMatchObject({
    at: n,
    first: 1,
    last: repro.inputs.findLast((each) => each.kind === 'act')?.n,
    input: { request_id: order?.request_id, result: '201' },
  });
  expect(state.difference.map(({ type, change }) => `${change} ${type}`)).toContain('added order');
  const newest = async () => {
    type Page = { requests: { request_id: string }[] };
    const { requests } = await control.get<Page>('/requests', { limit: 100 });
    return requests.map(({ request_id }) => request_id);
  };
  const shown = await newest();
  expect(shown[0]).toBe(order?.request_id);
  expect(await control.get(`/orders/${second.public_id}`)).toMatchObject({
    status: 'EXTERNALLY_PAID',
  });
  await step({ to: String(n - 1) });
  await expect(control.get(`/orders/${second.public_id}`)).rejects.toThrow('not found');
  expect(await newest()).toEqual(shown.slice(1));
  expect(await control.get('/clock')).toMatchObject({ frozen: true });
});

test('a step by order goes from change to change of it, and 409 after the last', async () => {
  const { step, state, first } = await opened(0);
  const order = first.public_id;
  const seen: string[] = [];
  for (;;) {
    const next = await step({ order }).catch((error: Error) => error);
    if (next instanceof Error) {
      expect(next).toMatchObject({ status: 409, code: 'conflict' });
      expect(next.message).toMatch(/^order: no act after #\d+ changes ord_/);
      break;
    }
    seen.push(next.difference.find(({ id }) => id === order)?.change ?? 'none');
  }
  expect(seen[0]).toBe('added');
  expect(seen.length).toBeGreaterThan(3);
  expect(new Set(seen.slice(1))).toEqual(new Set(['changed']));
  expect((await state()).difference.map(({ id }) => id)).toContain(order);
});

test('what was changed by hand is discarded, and counted; what was rejected is not', async () => {
  const { step, control, second, digests, url, fetch, served, state } = await opened();
  const { last } = await state();
  const read = () => control.get<OrderDetail>(`/orders/${second.public_id}`);
  const { status } = await read();
  await control.post(`/orders/${second.public_id}/advance`, { action: 'hold' });
  await expect(control.post('/orders/ord_none/advance')).rejects.toThrow('not found');
  expect((await read()).status).not.toBe(status);
  const [key] = served.credentials;
  if (!key) throw new Error('no credential');
  const body = { domain: (await seededListing(4)).domain };
  const request = { method: 'POST' as const, target: '/api/partner/v1/quotes', body };
  const sent = await sendSigned(fetch, signPartnerRequest(url, key, request, Date.now()));
  expect(sent.status).toBe(201);
  expect(await state()).toMatchObject({ at: last, digest: digests.get(last), discarded: 0 });
  const again = await step({ to: last });
  expect(again).toMatchObject({ at: last, digest: digests.get(last), discarded: 2 });
  expect((await read()).status).toBe(status);
  expect(await step({ by: -1 })).toMatchObject({ discarded: 0 });
});

test.each([
  [{ to: 9_999 }, 'to: no act 9999; the acts of the file are 1 to '],
  [{ to: '1.9' }, 'to: no act 1.9; the acts of the file are 1 to '],
  [{ to: 'x' }, 'to: must be a number such as 12 or "12.1"'],
  [{ to: -1 }, 'to: must be a number'],
  [{ by: 2 }, 'by: must be 1 or -1'],
  [{ by: -1 }, 'by: no act before #0; the acts of the file are 1 to '],
  [{ to: 1, by: 1 }, 'to: pass one of to, by and order'],
  [{}, 'to: pass one of to, by and order'],
])('a step %j from the base is rejected, and stays there', async (body, message) => {
  const { step, state } = await opened(0);
  const before = await state();
  expect(before).toMatchObject({ at: 0, input: null, difference: [] });
  await expect(step(body)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(message),
  });
  expect(await state()).toEqual(before);
});

test('a sandbox that no file opened answers 409, and the command exits 1', async () => {
  const at = await sandbox();
  const conflict = { status: 409, message: expect.stringContaining('sandlot repro open FILE') };
  await expect(at.control.get('/repro')).rejects.toMatchObject(conflict);
  await expect(at.control.post('/repro/step', { by: 1 })).rejects.toMatchObject(conflict);
  expect(await commandLine(at)('repro step next')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('sandlot repro open FILE'),
  });
});

test('repro step prints the act and its changes, and exits 2 for an act that is not there', async () => {
  const { run, repro, state, first } = await opened(0);
  const [order] = requestsOf(repro.inputs).filter(({ target }) => target.endsWith('/orders'));
  const n = order?.acts[0] ?? 0;
  const shown = await run(`repro step ${n}`);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/^ {2}#\d+ of \d+ {2}\d\d:\S+ {2}POST \S+\/orders .* 201\n/);
  expect(shown.stdout).toMatch(/^\+ order +ord_\w+ +status EXTERNALLY_PAID/m);
  expect((await run('repro step prev --json')).json()).toMatchObject({ at: n - 1 });
  expect((await run('repro step --json')).json()).toMatchObject({ at: n });
  const ofOrder = (await run(`repro step --order ${first.public_id} --json`)).json<State>().at;
  expect(ofOrder).toBeGreaterThan(n);
  await run(`repro step ${n}`);
  const sameOrder = await run(`repro step next --order ${first.public_id} --json`);
  expect(sameOrder.json()).toMatchObject({ at: ofOrder });
  const { at } = await state();
  for (const [line, message] of [
    ['9999', 'to: no act 9999; the acts of the file are 1 to'],
    ['sideways', 'to: must be a number such as 12'],
    [`1 --order ${first.public_id}`, 'to and --order: pass only one of them'],
  ]) {
    const stderr = expect.stringContaining(message ?? '');
    expect(await run(`repro step ${line}`)).toMatchObject({ code: 2, stdout: '', stderr });
  }
  expect(await run('repro step --order ord_none')).toMatchObject({ code: 1 });
  expect((await state()).at).toBe(at);
});

describe.skipIf(!browser)('the bar in a real browser', () => {
  test('steps by the keyboard, to a page that is not there and back, and fits a phone', async () => {
    const { url, first, state } = await opened();
    const page = await openTab(browser, { viewport: { width: 390, height: 844 } });
    await page.goto(`${url}/_sandbox/dashboard/orders/${first.public_id}?at=3`);
    expect(page.url()).not.toContain('at=');
    expect((await state()).at).toBe(3);
    const bar = page.locator('.steps');
    await bar.locator('summary').click();
    await bar.getByText('added order').waitFor();
    expect(await lookAt(page)).toMatchObject({ overflow: 0, unnamed: [], outside: [] });
    const press = (name: string) => bar.getByRole('button', { name, exact: true }).press('Enter');
    await press('Previous');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect((await focused(page)).text).toContain('Previous');
    await press('Next change of this order');
    await bar.getByText('Act 3 of').waitFor();
    await page.getByRole('button', { name: 'Hold' }).click();
    await bar.getByText('by hand, which a step discards').waitFor();
    await page.goto(`${url}/_sandbox/?at=1`);
    await bar.getByText('Act 3 of').waitFor();
    await bar.getByLabel('Act', { exact: true }).press('Enter');
    await bar.getByText('Act 1 of').waitFor();
    await bar.getByText(/The last step discarded \d+ acts? by hand/).waitFor();
    await bar.getByLabel('Act', { exact: true }).fill('9999');
    await bar.getByLabel('Act', { exact: true }).press('Enter');
    await bar.getByText('to: no act 9999; the acts of the file are 1 to').waitFor();
    const isEnabled = (name: string) => bar.getByRole('button', { name, exact: true }).isEnabled();
    await page.goto(`${url}/_sandbox/?at=0`);
    expect([await isEnabled('Previous'), await isEnabled('Next')]).toEqual([false, true]);
    await page.goto(`${url}/_sandbox/?at=${(await state()).last}`);
    expect([await isEnabled('Previous'), await isEnabled('Next')]).toEqual([true, false]);
  });
});

test('the bar is on every page of such a sandbox, and on none of another', async () => {
  const { fetch, url } = await opened();
  const other = await sandbox();
  const barsOn = async (requested: Promise<Response>) => {
    const response = await requested;
    expect(response.status).toBe(200);
    return (await response.text()).match(/class="[^"]*\bsteps\b/g)?.length ?? 0;
  };
  for (const { path } of MENU.flatMap(({ pages }) => pages)) {
    expect(await barsOn(fetch(`${url}/_sandbox${path}`)), path).toBe(1);
    expect(await barsOn(other.fetch(`/_sandbox${path}`)), path).toBe(0);
  }
});
