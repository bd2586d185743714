import { expect, onTestFinished, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { signWebhook } from '../../src/signing/signature.ts';
import { orderFor } from '../support/orders.ts';
import { deadUrl, headerOf, receiver, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { type CommandLineOptions, commandLine } from './command-line.ts';

interface Line {
  kind: string;
  url: string;
  secret: string;
  signature: { valid: boolean; problem: string | null };
}

/** Starts `webhooks listen --port 0 --json`; interrupts it when the test ends. `received` returns the lines after the first. */
async function listener(options = '', shop?: InProcessSandbox, more: CommandLineOptions = {}) {
  const interruption = new AbortController();
  const up = Promise.withResolvers<Line>();
  const lines: Line[] = [];
  const finished = commandLine(shop)(`webhooks listen --port 0 --json ${options}`, {
    interruption: () => interruption.signal,
    onStdout: (text) => {
      const line = JSON.parse(text) as Line;
      if (line.kind === 'listening') up.resolve(line);
      else lines.push(line);
    },
    ...more,
  });
  onTestFinished(async () => {
    interruption.abort();
    await finished;
  });
  const { url, secret } = await up.promise;
  return { url, secret, interrupt: () => interruption.abort(), finished, received: () => lines };
}

const BODY = JSON.stringify({
  id: 'evt_1',
  type: 'order.settled',
  data: { order: { public_id: 'ord_1', status: 'SETTLED' } },
});

function post(url: string, body: string, signature?: string): Promise<Response> {
  const headers = signature === undefined ? {} : { 'X-Service-Signature': signature };
  return fetch(url, { method: 'POST', body, headers });
}

test('a secret is printed if it was generated, and not if it was given', async () => {
  expect((await listener()).secret).toMatch(/^whsec_\w+$/);
  expect((await listener('--secret s1')).secret).toBeNull();
});

test('a valid signature gets 200, an invalid one 401 and the reason is printed', async () => {
  const { url, received } = await listener('--secret s1');
  const right = signWebhook('s1', BODY);
  const response = await post(url, BODY, right);
  expect(response.status).toBe(200);
  // The go-live report does not observe such attempts.
  expect(response.headers.get('server')).toBe('sandlot-listen');
  for (const [signature, problem] of [
    [undefined, 'header is missing'],
    [`v1=${right}`, 'does not match'],
    [signWebhook('s2', BODY), 'the secret is different'],
    [signWebhook('s1', `${BODY}\n`), 'the body changed'],
  ] as const) {
    expect((await post(url, BODY, signature)).status, problem).toBe(401);
    const invalid = { valid: false, problem: expect.stringContaining(problem) };
    expect(received().at(-1)?.signature, problem).toEqual(invalid);
  }
  expect(received()[0]).toMatchObject({
    kind: 'event',
    id: 'evt_1',
    type: 'order.settled',
    subject_id: 'ord_1',
    status: 'SETTLED',
    signature: { valid: true, problem: null },
    response_status: 200,
    body: JSON.parse(BODY),
  });
});

test('a body that is not an event is printed; only POST is accepted', async () => {
  const { url, received } = await listener('--secret s1');
  for (const body of ['hello', '['.repeat(50_000) + ']'.repeat(50_000)]) {
    expect((await post(url, body, signWebhook('s1', body))).status).toBe(200);
    expect(received().at(-1)).toMatchObject({ type: null, subject_id: null, body });
  }
  expect((await fetch(url)).status).toBe(405);
  expect(received()).toHaveLength(2);
});

test('a chunked body is received; one over 1 MiB gets 413', async () => {
  const { url, received } = await listener('--secret s1');
  const headers = { 'X-Service-Signature': signWebhook('s1', BODY) };
  const body = new Blob([BODY]).stream();
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  expect((await fetch(url, init)).status).toBe(200);
  expect((await post(url, 'x'.repeat(2 ** 20 + 1))).status).toBe(413);
  expect(received()).toMatchObject([{ signature: { valid: true }, subject_id: 'ord_1' }]);
});

test('--register makes the sandbox deliver to the receiver', async () => {
  const shop = await sandbox();
  const { received, interrupt, finished } = await listener('--register', shop);
  const { public_id: id } = await orderFor(shop);
  await shop.idle();
  expect(received()[0]).toMatchObject({
    type: 'order.recorded',
    subject_id: id,
    status: 'EXTERNALLY_PAID',
    signature: { valid: true },
  });
  interrupt();
  expect((await finished).code).toBe(0);
  expect(await shop.control.get('/webhooks')).toMatchObject({ webhooks: [] });
});

test.each([
  ['of its key', '', { env: { SANDLOT_KEY_ID: 'k1' } }],
  ['of --world', '--world w1', {}],
])('--register unregisters when interrupted, in the world %s', async (_, option, more) => {
  const shop = await sandbox();
  await shop.control.post('/worlds', { name: 'w1' });
  const there = shop.control.in('w1');
  await there.post('/credentials', { key_id: 'k1', secret: 's1' });
  const { url, interrupt, finished } = await listener(`--register ${option}`, shop, more);
  expect(await there.get('/webhooks')).toMatchObject({ webhooks: [{ url }] });
  await there.put('/webhooks', { url, secret: 's2', environment: 'LIVE' });
  interrupt();
  expect((await finished).stderr).toBe('');
  expect(await there.get('/webhooks')).toMatchObject({ webhooks: [{ environment: 'LIVE' }] });
});

test('--register handles an interruption before it registers', async () => {
  const shop = await sandbox();
  let registered: Promise<unknown> | undefined;
  const interruption = () => {
    registered = shop.control.get('/webhooks');
    return AbortSignal.abort();
  };
  await commandLine(shop, { interruption })('webhooks listen --port 0 --register');
  expect(await registered).toMatchObject({ webhooks: [] });
});

test('--register does not remove a later registration', async () => {
  const shop = await sandbox();
  const { interrupt, finished } = await listener('--register', shop);
  const later = await deadUrl();
  await register(shop, later);
  interrupt();
  expect((await finished).code).toBe(0);
  expect(await shop.control.get('/webhooks')).toMatchObject({ webhooks: [{ url: later }] });
});

test('--register for a credential that does not exist exits 1', async () => {
  const run = commandLine(await sandbox(), { env: { SANDLOT_KEY_ID: 'none' } });
  const { code, stderr } = await run('webhooks listen --port 0 --register');
  expect(code).toBe(1);
  expect(stderr).toContain('error: key_id: ');
});

test('--status sets the response, with any signature', async () => {
  const { url, received } = await listener('--secret s1 --status 500');
  expect((await post(url, BODY, signWebhook('s1', BODY))).status).toBe(500);
  expect(received()[0]).toMatchObject({ signature: { valid: true }, response_status: 500 });
});

const forwarder = (to: string) => listener(`--secret s1 --forward ${to}`, undefined, { fetch });

test.each(['end', 'destroy'] as const)(
  '--forward sends the same bytes and headers, and returns the response up to its %s',
  async (finish) => {
    const app = await receiver((response) => {
      response.writeHead(202).write('thanks', () => response[finish]());
    });
    const { url, received } = await forwarder(app.url);
    const response = await post(url, BODY, 'abc');
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('thanks');
    const [forwarded] = app.received;
    expect(forwarded?.body).toBe(BODY);
    expect(forwarded && headerOf(forwarded, 'X-Service-Signature')).toBe('abc');
    expect(forwarded && headerOf(forwarded, 'Content-Type')).toMatch(/^text\/plain/);
    expect(received()[0]).toMatchObject({ response_status: 202, signature: { valid: false } });
  },
);

test('--forward to an address where nothing listens returns 502', async () => {
  const { url, received } = await forwarder(await deadUrl());
  expect((await post(url, BODY, 'abc')).status).toBe(502);
  expect(received()[0]).toMatchObject({ forward_problem: expect.stringContaining('ECONNREFUSED') });
});

test('a port in use exits 1, and --forward with --status exits 2', async () => {
  const { url } = await listener();
  const taken = await commandLine()(`webhooks listen --port ${new URL(url).port}`);
  expect(taken.code).toBe(1);
  expect(taken.stderr).toContain('--port 0 selects a free one');
  const both = await commandLine()('webhooks listen --forward http://127.0.0.1:1/ --status 500');
  expect(both.code).toBe(2);
});
