import { describe, expect, test } from 'vitest';
import { MENU } from '../../src/dashboard/pages/index.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { toolPages } from '../../src/sandbox/tool.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { sendForged } from '../support/forged-request.ts';
import { checkoutSale } from '../support/money.ts';
import { mint, orderBody, orderFor, quoteFor, requestOrder, withOrder } from '../support/orders.ts';
import { deliveriesOf, receiver, register, withAttempt } from '../support/receiver.ts';
import { loggedIds, newestLogged } from '../support/request-log.ts';
import { answered, rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { replaceStored, stateFolder } from '../support/state-folder.ts';

const OF_TOOLS = (await toolPages(TOOLS)).flatMap(({ menu = [] }) => menu);
const ADDRESSES = [...MENU.flatMap(({ pages }) => pages), ...OF_TOOLS].map(
  ({ path }) => `/_sandbox${path}`,
);
/** Lists that have no rows in a fresh sandbox. */
const EMPTY_LISTS = MENU.flatMap(({ pages }) => pages)
  .map(({ path }) => path)
  .filter((path) => !/^\/$|clock|inventory|credentials|worlds/.test(path));

const HOSTILE = `"><script>alert(1)</script>'&{{7*7}}\${7*7}<img src=x onerror=alert(2)>`;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

async function read(at: InProcessSandbox, address: string, status = 200): Promise<string> {
  const response = await at.fetch(address);
  const text = await response.text();
  expect(response.status, `${address}\n${text.slice(-600)}`).toBe(status);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  return text;
}

/** Opens a sandbox with data on every page, whose names are hostile. */
async function busy(name = HOSTILE, dataDir?: string) {
  const at = await sandbox({ rateLimits: false, ...(dataDir !== undefined && { dataDir }) });
  const hook = await receiver(503);
  const key = await mint(at, { partner: name });
  await register(at, hook.url, { key });
  const buyer = { email: 'buyer@example.com', name };
  const sale = orderBody(await seededListing(0), { buyer, external_payment_ref: name });
  const order = await answered<{ public_id: string }>(await requestOrder(at, sale, { key }), 201);
  await at.control.post(`/orders/${order.public_id}/advance`, { action: 'hold', note: name });
  const target = `/api/partner/v1/domains/search?q=${encodeURIComponent(name)}`;
  await at.call({ method: 'GET', target, headers: { 'X-Evil': HOSTILE } }, key);
  await at.control.post('/faults', { match: { path: '/pricing' }, effect: { delay_ms: 1 } });
  const category = HOSTILE.slice(0, 60);
  await at.control.post('/inventory', { domain: 'evil.com', price_cents: 100, category });
  await at.control.post('/snapshots', { name: 'here' });
  await at.idle();
  const deliveries = await deliveriesOf(at);
  const details = [
    ...(await loggedIds(at)).map((id) => `requests/${id}`),
    ...deliveries.map((each) => `deliveries/${each.delivery_id}`),
    `orders/${order.public_id}`,
  ].map((page) => `/_sandbox/dashboard/${page}`);
  return { at, order, addresses: [...ADDRESSES, ...details] };
}

test('status names the URL of the dashboard', async () => {
  const at = await sandbox({ port: 0 });
  const { dashboard_url } = await at.control.get<{ dashboard_url: string }>('/status');
  expect(dashboard_url).toBe(`${at.url}/_sandbox/`);
  const response = await fetch(dashboard_url);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('<h1>Overview</h1>');
  for (const path of ['', '/dashboard', '/dashboard/']) {
    const bare = await fetch(`${at.url}/_sandbox${path}`, { redirect: 'manual' });
    expect(bare.headers.get('location')).toBe('/_sandbox/');
    const inWorld = await fetch(`${bare.url}?world=w1`, { redirect: 'manual' });
    expect(inWorld.headers.get('location')).toBe('/_sandbox/?world=w1');
  }
});

test('a browser at / is redirected to the dashboard, another client gets not_found', async () => {
  const at = await sandbox();
  const page = await at.fetch('/', { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/_sandbox/']);
  const { status, code } = await rejection(await at.fetch('/'));
  expect([status, code]).toEqual([404, 'not_found']);
});

test('every page has the strict policy, is not cached, and has no inline script or style', async () => {
  const { at, addresses } = await busy();
  for (const address of [...addresses, '/_sandbox/dashboard/nowhere', '/_sandbox/?world=none']) {
    const response = await at.fetch(address);
    const { headers } = response;
    expect(headers.get('content-security-policy'), address).toBe(POLICY);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const text = await response.text();
    const tags = (text.replace(/"[^"]*"/g, '""').match(/<[^>]*>/g) ?? []).join('\n');
    expect(tags, address).not.toMatch(/<style|<img|<iframe|\sstyle=|\son\w+=/i);
    const scripts = text.match(/<script[^>]*>[^<]*/g) ?? [];
    for (const script of scripts)
      expect(script).toMatch(/^<script type="module" src="\/_sandbox\/assets\/\w+\/main\.js">$/);
    expect(text).not.toMatch(/(?:href|action|src)="(?!\/|#)/);
    expect(text.match(/<h1/g), address).toHaveLength(1);
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    const repeated = ids.filter((id, n) => ids.indexOf(id) !== n);
    expect(repeated, address).toEqual([]);
  }
});

test('stylesheet and scripts are immutable, and an old or foreign path is not found', async () => {
  const at = await sandbox();
  const text = await read(at, '/_sandbox/');
  const [style = '', script = ''] = text.match(/(?<=")\/_sandbox\/assets\/[^"]+/g) ?? [];
  const paths = new Set([style, script]);
  for (const path of paths) {
    const response = await at.fetch(path);
    expect(response.status, path).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const source = await response.text();
    const base = path.replace(/[^/]+$/, '');
    for (const [, name] of source.matchAll(/from '\.\/([\w-]+\.js)'/g)) paths.add(base + name);
  }
  expect(paths.size).toBeGreaterThan(8);
  expect((await at.fetch(style.replace(/assets\/\w+/, 'assets/000000000000'))).status).toBe(404);
  expect((await at.fetch(style.replace('dashboard.css', '..%2fpackage.json'))).status).toBe(404);
});

test('text of partners, buyers and operators is escaped, and no page holds a secret', async () => {
  const { at, addresses } = await busy();
  let found = 0;
  for (const address of addresses) {
    const text = await read(at, address);
    expect(text.replace(/<script type="module" src="[^"]*"><\/script>/, ''), address).not.toMatch(
      /<script|<img/,
    );
    expect(text, address).not.toMatch(/dms_|whsec/);
    if (text.includes('&lt;script&gt;alert(1)')) found += 1;
  }
  expect(found).toBeGreaterThan(4);
});

test('invisible characters and characters that change the text direction are escaped', async () => {
  const dataDir = stateFolder();
  const name = 'a\u202eb\u200bd\u2066e\ufefff\u061cg';
  const { at: first, addresses } = await busy(name, dataDir);
  await first.close();
  // The API rejects control characters, but a state folder of an earlier version may have them.
  replaceStored(dataDir, name, name.replace('b', 'b\u0007c'));
  const at = await sandbox({ dataDir });
  let found = 0;
  for (const address of addresses) {
    const text = (await read(at, address)).replaceAll(/\sdata-(?:copy|done|confirm)="[^"]*"/g, '');
    expect(text, address).not.toMatch(/\p{Bidi_Control}|\u200b|\ufeff/u);
    if (text.includes('a\\u202eb\\u0007c\\u200bd\\u2066e\\ufefff\\u061cg')) found += 1;
  }
  expect(found).toBeGreaterThan(2);
});

test.each(EMPTY_LISTS)(
  '%s without rows suggests a command, and says when filters match none',
  async (path) => {
    const at = await sandbox();
    const text = await read(at, `/_sandbox${path}`);
    expect(text).toContain('class="empty"');
    expect(text).toMatch(/<code>npx sandlot [a-z]/);
    if (!text.includes('id="f-partner_id"')) return;
    const filtered = await read(at, `/_sandbox${path}?partner_id=nobody`);
    expect(filtered).toMatch(/No [a-z ]+s match these filters\./);
  },
);

test('the behavior of a magic domain that acted as a fault has no link', async () => {
  const at = await sandbox();
  await at.call({ method: 'GET', target: '/api/partner/v1/pricing?domain=server-error.test' });
  const { request_id } = await newestLogged(at);
  const text = await read(at, `/_sandbox/dashboard/requests/${request_id}`);
  expect(text).toContain('server_error');
  expect(text.match(/"\/_sandbox\/dashboard\/faults"/g)).toHaveLength(1);
});

test('a world without requests suggests a command with its name', async () => {
  const at = await sandbox();
  await at.control.post('/worlds', { name: 'w2' });
  const text = await read(at, '/_sandbox/dashboard/requests?world=w2');
  expect(text).toContain('npx sandlot credentials create --world w2');
  expect(text).toContain('search?q=coffee&#39; --as dmk_… --world w2');
  const links = text.match(/href="\/_sandbox\/(?:dashboard[^"]*)?(?:\?[^"]*)?"/g) ?? [];
  expect(links.filter((link) => !/world=w2|assets/.test(link))).toEqual([]);
  expect(await read(at, '/_sandbox/?world=w2')).toContain(
    'The default credential does not belong to this world.',
  );
  const reference = await read(at, '/_sandbox/reference?world=w2');
  expect(reference.match(/world=w2/g)).toHaveLength(4);
  const missing = await read(at, '/_sandbox/dashboard/orders/ord_x?world=w2', 404);
  expect(missing).toContain('href="/_sandbox/?world=w2">Go to the overview of world w2');
});

describe('a filter', () => {
  test('that is invalid shows its message and stays in its field', async () => {
    const at = await sandbox();
    const text = await read(at, '/_sandbox/dashboard/requests?where=status:wat', 400);
    expect(text).toContain(
      'status:wat must be a status such as 404, a class such as 4xx, error, or closed',
    );
    expect(text).toContain('value="status:wat"');
  });

  test('narrows the list and stays in the URL of the next page', async () => {
    const at = await sandbox({ rateLimits: false });
    for (let n = 0; n < 60; n += 1) await at.fetch(`/l/nobody-${n}`);
    await orderFor(at);
    const all = await read(at, '/_sandbox/dashboard/requests?api=page&where=status:4xx');
    expect(all.match(/data-key="req_/g)).toHaveLength(50);
    const next = /href="([^"]+)"[^>]*rel="next"/.exec(all)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(next).toContain('api=page');
    const rest = await read(at, next);
    expect(rest.match(/data-key="req_/g)).toHaveLength(10);
    expect(rest).toContain('⇤ First');
  });
});

test('an order has a button for each open move, and none in a final state', async () => {
  const { at, public_id } = await withOrder();
  const page = `/_sandbox/dashboard/orders/${public_id}`;
  const moves = async () =>
    (await read(at, page)).match(/(?<=data-send="{&quot;action&quot;:&quot;)\w+/g) ?? [];
  expect(await moves()).toEqual(['start_transfer', 'hold', 'refund', 'cancel']);
  await at.control.post(`/orders/${public_id}/advance`, { action: 'cancel' });
  expect(await moves()).toEqual([]);
});

test('a row has a button for each action that its state allows', async () => {
  const { at } = await withAttempt();
  await checkoutSale(at);
  await mint(at, { environment: 'LIVE' });
  await at.control.post('/worlds', { name: 'w2' });
  for (const [list, buttons] of [
    ['transactions', 'Deliver,Refund'],
    ['deliveries', 'Resend'],
    ['credentials', 'Approve,Revoke,Revoke'],
    ['worlds?world=w2', 'Reset rate limits,Reset this world'],
  ] as const) {
    const text = await read(at, `/_sandbox/dashboard/${list}`);
    expect(text.match(/(?<=type="submit" class="plain">)[^<]+/g)?.join(), list).toBe(buttons);
  }
});

test('an order shows all deliveries of its event', async () => {
  const { at, order } = await withAttempt();
  const [first] = await deliveriesOf(at);
  for (let n = 0; n < 26; n += 1) await at.control.post(`/events/${first?.event_id}/resend`);
  const text = await read(at, `/_sandbox/dashboard/orders/${order.public_id}`);
  expect(new Set(text.match(/dashboard\/deliveries\/dlv_\w+/g)).size).toBe(27);
});

test('the clock shows all scheduled work, in pages', async () => {
  const at = await sandbox({ rateLimits: false });
  for (let n = 0; n < 101; n += 1) await quoteFor(at, 'held-order.test');
  const text = await read(at, '/_sandbox/dashboard/clock');
  const [, next = ''] = text.match(/href="([^"]+)" class="button plain" rel="next"/) ?? [];
  expect((await read(at, next)).match(/<tr role="row" id=/g)).toHaveLength(1);
  await at.control.post('/clock/advance', { by: '11m' });
  expect(await read(at, next)).toContain('Nothing more is scheduled.');
  await at.reset();
  expect(await read(at, next, 400)).toMatch(/cursor: invalid.*href="[^"]*clock"[^>]*>⇤ First/s);
});

test('a rejected signature shows both canonical strings, marks the lines that differ, and copies the body as sent', async () => {
  const at = await sandbox();
  const target = '/api/partner/v1/quotes';
  const sent = { method: 'POST', target, body: '{ "domain": "a.example" }' };
  await sendForged(at, sent, { signed: { body: '{"domain":"a.example"}' } });
  const { request_id } = await newestLogged(at);
  const text = await read(at, `/_sandbox/dashboard/requests/${request_id}`);
  expect(text).toContain('data-copy="{ &quot;domain&quot;: &quot;a.example&quot; }"');
  expect(text.match(/class="differs expected"/g)).toHaveLength(1);
  expect(text.match(/class="differs signed"/g)).toHaveLength(1);
  expect(text).toContain('Serialize once, hash those bytes and send those bytes.');
  expect(text).not.toContain(at.credential.secret);
});

test('an unknown page or item is a 404 page', async () => {
  const at = await sandbox();
  const pages = ['orders/ord_x', 'requests/req_x', 'deliveries/dlv_x', 'nope'];
  for (const address of [...pages.map((page) => `dashboard/${page}`), '?world=none']) {
    expect(await read(at, `/_sandbox/${address}`, 404)).toContain('Page not found');
  }
});

test('the overview shows rejections with their codes, and counts by state', async () => {
  const at = await sandbox();
  expect(await read(at, '/_sandbox/')).toContain('No rejections.');
  const hook = await receiver(503);
  await register(at, hook.url);
  const order = await orderFor(at, 0);
  await at.call({ method: 'GET', target: '/api/partner/v1/orders/ord_missing' });
  await at.idle();
  const text = await read(at, '/_sandbox/');
  expect(text).toContain('404 not_found');
  expect(text).toContain('public_id: order ord_missing not found');
  expect(text).toContain('href="/_sandbox/dashboard/orders?status=EXTERNALLY_PAID"');
  expect(text).toContain('href="/_sandbox/dashboard/deliveries?status=pending"');
  expect(await at.control.get('/status')).toMatchObject({
    orders: { EXTERNALLY_PAID: 1, SETTLED: 0 },
    deliveries: { pending: 1, delivered: 0, failed: 0 },
  });
  await at.control.post(`/orders/${order.public_id}/advance`, { action: 'hold' });
  expect(await at.control.get('/status')).toMatchObject({
    orders: { EXTERNALLY_PAID: 0, MANUAL_REVIEW: 1 },
  });
});

test('a delivery shows what is sent and the response to each attempt, without secrets', async () => {
  const { at, hook } = await withAttempt((response) =>
    response.writeHead(503).end('busy dms_sandbox_local_not_a_secret'),
  );
  const delivery = (await deliveriesOf(at)).at(-1);
  const path = `/deliveries/${delivery?.delivery_id}`;
  expect(await at.control.get(path)).toMatchObject({
    request: {
      headers: { 'Content-Type': 'application/json', 'X-Service-Signature': '[redacted]' },
      body: hook.received[0]?.body,
    },
    attempts: [{ response: 'busy [redacted]' }],
  });
  const text = await read(at, `/_sandbox/dashboard${path}`);
  expect(text).toContain('busy [redacted]');
  // Exactly the bytes that are signed, not the indented text that is shown.
  expect(text).toContain(`data-copy="${hook.received[0]?.body.replaceAll('"', '&quot;')}"`);
});
