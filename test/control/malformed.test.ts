import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { CONTROL_ENDPOINTS } from '../support/control-endpoints.ts';
import { orderFor, withOrder } from '../support/orders.ts';
import { rejection } from '../support/responses.ts';
import { sandbox, sandboxOnDisk, sharedSandbox } from '../support/sandbox.ts';
import { digestOf, stateFolder } from '../support/state-folder.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Endpoints that take a body. `/stop` ends the server. */
const POSTS = CONTROL_ENDPOINTS.filter(
  ({ method, path, body }) => method !== 'GET' && path !== '/stop' && body !== undefined,
);
const READS = CONTROL_ENDPOINTS.filter(
  ({ method, path }) => method === 'GET' && !path.includes('stream'),
);

/** The names of all fields of the bodies or queries of some endpoints. */
function fieldsOf(part: 'body' | 'query', endpoints: typeof CONTROL_ENDPOINTS): string[] {
  return [...new Set(endpoints.flatMap((endpoint) => Object.keys(endpoint[part]?.shape ?? {})))];
}

function send(at: InProcessSandbox, method: string, path: string, body: string): Promise<Response> {
  return at.fetch(`/_sandbox${path}`, { method, headers: JSON_TYPE, body });
}

/** With each parameter replaced, a plain word when nothing else is given. */
function filled(path: string, values: string[] = []): string {
  return path.replaceAll(/:\w+/g, () => encodeURIComponent(values.shift() ?? 'none'));
}

const MISFITS: [what: string, body: string, status: number][] = [
  ['an array', '[]', 400],
  ['a text', '"x"', 400],
  ['null', 'null', 400],
  ['no JSON', '{', 400],
  ['an unknown field', '{"no_such_member": 1}', 400],
  ['a field called __proto__', '{"__proto__": {}}', 400],
  ['more than 1 MiB', `{"filler": "${'x'.repeat(1024 * 1024)}"}`, 413],
];

describe('no call changes anything:', async () => {
  const dataDir = stateFolder(afterAll);
  const at = await sharedSandbox({ dataDir, inventory: 5 });

  test.each(POSTS)('$method $path rejects an invalid body', async ({ method, path }) => {
    const digest = digestOf(dataDir);
    for (const [what, body, status] of MISFITS) {
      const response = await rejection(await send(at, method, filled(path), body));
      expect(response, what).toMatchObject({ status, code: 'validation_error' });
    }
    const elsewhere = await send(at, method, `${filled(path)}?world=nowhere`, '{}');
    expect(await rejection(elsewhere)).toMatchObject({ status: 404, code: 'not_found' });
    expect(digestOf(dataDir)).toBe(digest);
  });
});

test('what does not exist is not found', async () => {
  const at = await sandbox();
  for (const [method, path] of [
    ['GET', '/nowhere'],
    ['POST', '/status'],
    ['DELETE', '/orders'],
    ['PUT', '/worlds'],
    ['GET', '/reset'],
    ['GET', '/orders/ord_none'],
    ['GET', '/orders/ord_none/why-not?to=SETTLED'],
    ['GET', '/deliveries/dlv_none'],
    ['GET', '/worlds/none'],
    ['GET', '/credentials/none'],
  ] as const) {
    const response = await at.fetch(`/_sandbox${path}`, { method });
    expect(await rejection(response), `${method} ${path}`).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  }
});

test('an unknown path returns 404 and names both APIs', async () => {
  const at = await sandbox();
  for (const path of ['/nowhere', '/api', '/api/partners', '/_sandboxes']) {
    const response = await rejection(await at.fetch(path));
    expect(response).toMatchObject({ status: 404, code: 'not_found' });
    expect(response.message).toContain('/api/partner');
    expect(response.message).toContain('/_sandbox');
  }
});

describe('with any input', () => {
  const words = fc.constantFrom(
    'default',
    'ord_none',
    'order',
    'event',
    'SETTLED',
    'hold',
    'order.recorded',
    '1h',
    '2027-01-01',
    'http://127.0.0.1:9/',
    'buy',
    'LIVE',
    'x',
    '',
    ' ',
    '__proto__',
    '\u0000',
    '%',
    '..',
    '-1',
    '1e9',
  );
  const value = fc.oneof(
    { depthSize: 'small' },
    words,
    fc.integer({ min: -2, max: 300 }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(words, { maxLength: 3 }),
    fc.dictionary(words, fc.oneof(words, fc.integer()), { maxKeys: 2 }),
  );
  /** Waiting would take the time that it is told to wait. */
  const quick = POSTS.filter(({ path }) => path !== '/wait' && path !== '/idle');

  async function expectSound(response: Response): Promise<void> {
    if (response.ok) return;
    // With `..` for an id one comes to the dashboard, which rejects with a page.
    if (response.headers.get('content-type')?.startsWith('text/html')) {
      expect(response.status).toBe(404);
      return;
    }
    const { status, code, message } = await rejection(response);
    expect(status, `${code}: ${message}`).toBeLessThan(500);
  }

  test('no body makes a route of the control API fail', async () => {
    const members = fc.constantFrom(...fieldsOf('body', quick));
    const body = fc.dictionary(members, value, { maxKeys: 4 });
    const route = fc.constantFrom(...quick);
    await fc.assert(
      fc.asyncProperty(route, fc.array(words, { maxLength: 1 }), body, async (to, ids, sent) => {
        // Firing at a real address is another test's business.
        const fire = to.path === '/webhooks/fire' && { url: 'nowhere' };
        const at = await sandbox({ inventory: 5 });
        const text = JSON.stringify({ ...sent, ...fire });
        await expectSound(await send(at, to.method, filled(to.path, ids), text));
        expect(await at.control.get('/health')).toEqual({ status: 'ok' });
      }),
      { numRuns: 40 },
    );
  });

  test('no query makes a route of the control API fail, or changes anything', async () => {
    const { dataDir, at } = await sandboxOnDisk({ inventory: 5 });
    await orderFor(at, { domain: 'held-order.test', price_cents: 250_000, currency: 'USD' });
    const digest = digestOf(dataDir);
    const names = fc.constantFrom('world', 'x', ...fieldsOf('query', READS));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...READS),
        fc.array(words, { maxLength: 1 }),
        fc.array(fc.tuple(names, words), { maxLength: 3 }),
        async ({ path }, ids, pairs) => {
          const query = pairs
            .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
            .join('&');
          await expectSound(await at.fetch(`/_sandbox${filled(path, ids)}?${query}`));
        },
      ),
      { numRuns: 40 },
    );
    expect(digestOf(dataDir)).toBe(digest);
  });

  test.each(['%', '%zz', '%ff', 'limit=%', '%00=1'])(
    'the query %s is rejected or ignored',
    async (query) => {
      const at = await sandbox();
      for (const path of ['/orders', '/status', '/events']) {
        await expectSound(await at.fetch(`/_sandbox${path}?${query}`));
      }
    },
  );
});

test.each(['wrold=w9', 'world=default&world=w9', 'limt=3'])(
  'a query such as ?%s is rejected and changes nothing',
  async (query) => {
    const { at } = await withOrder();
    const response = await at.fetch(`/_sandbox/reset?${query}`, { method: 'POST' });
    expect(await rejection(response)).toMatchObject({ status: 400, code: 'validation_error' });
    expect(await at.control.get('/orders')).toMatchObject({ orders: [{}] });
  },
);

test('an in-process sandbox rejects stop', async () => {
  const at = await sandbox();
  await expect(at.control.post('/stop')).rejects.toThrow(
    /stops when the process that runs it exits/,
  );
});
