import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/index.ts';
import { signPartnerRequest } from '../../src/client/partner-client.ts';
import { spellPath } from '../../src/faults/fault-path.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { ERROR_STATUS } from '../../src/kernel/errors.ts';
import { type Runtime, systemRuntime } from '../../src/kernel/runtime.ts';
import { ask, send } from '../support/calls.ts';
import { addFault, hitsOf } from '../support/faults.ts';
import {
  eventTypes,
  magic,
  mint,
  mintIn,
  mintLive,
  type Order,
  orderBody,
  requestOrder,
} from '../support/orders.ts';
import { withReceiver } from '../support/receiver.ts';
import { newestLogged } from '../support/request-log.ts';
import { answered, rejection } from '../support/responses.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox, sandboxOnDisk, sandboxWithRuntime, sharedSandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { stateFolder } from '../support/state-folder.ts';

const V1 = '/api/partner/v1';
const SALE = orderBody(magic('held-order', 250_000));

/** In process, and over a socket: what a client sees is the same. */
const WAYS: [way: string, open: () => Promise<InProcessSandbox>][] = [
  ['in process', () => sandbox({ rateLimits: false })],
  [
    'over a socket',
    async () => {
      const at = await sandbox({ rateLimits: false, port: 0 });
      const key = at.credential;
      const call: InProcessSandbox['call'] = (request, by = key) => {
        const { url, body, ...rest } = signPartnerRequest(at.url, by, request, Date.now());
        return fetch(url, { ...rest, ...(body && { body }) } as RequestInit);
      };
      return { ...at, call };
    },
  ],
];

function orders(at: InProcessSandbox): Promise<{ orders: Order[] }> {
  return at.control.get('/orders');
}

/** Checks that a retry of a sale gets the only order, and that it is recorded once. */
async function expectOneOrder(at: InProcessSandbox, sale: object): Promise<void> {
  const retry = await requestOrder(at, sale, { idempotencyKey: 'k' });
  const { public_id } = await answered<Order>(retry, 201);
  expect((await orders(at)).orders).toMatchObject([{ public_id }]);
  expect(await eventTypes(at)).toEqual(['order.recorded']);
}

/** A sandbox whose delays last until they are ended. */
async function delayingSandbox() {
  const asleep = Promise.withResolvers<number>();
  const awake = Promise.withResolvers<void>();
  const sleep = (ms: number) => {
    asleep.resolve(ms);
    return awake.promise;
  };
  const at = await sandbox({ rateLimits: false, runtime: { ...testRuntime(), sleep } });
  return { at, asleep: asleep.promise, end: awake.resolve };
}

test.each(Object.entries(ERROR_STATUS))(
  '%s is returned in the error envelope of the API',
  async (code, status) => {
    const at = await sandbox({ rateLimits: false });
    await addFault(at, { effect: { code }, times: 1 });
    const rejected = await rejection(await requestOrder(at, SALE, { idempotencyKey: 'k' }));
    const retryAfter = code === 'rate_limited' ? '1' : null;
    expect(rejected).toMatchObject({ status, code, retryAfter });
    expect(await orders(at)).toMatchObject({ orders: [] });
    expect(await eventTypes(at)).toEqual([]);
    // The Idempotency-Key is free, and the fault has had its one hit.
    expect((await requestOrder(at, SALE, { idempotencyKey: 'k' })).status).toBe(201);
  },
);

describe.each(WAYS)('%s', (_way, open) => {
  test.each([
    ['before', 0],
    ['after', 1],
  ])(
    'a connection closed %s the commit has recorded %i orders, and the retry gets the only one',
    async (drop, recorded) => {
      const at = await open();
      await addFault(at, { effect: { drop }, times: 1 });
      const sale = orderBody(await seededListing(0));
      await expect(requestOrder(at, sale, { idempotencyKey: 'k' })).rejects.toThrow();
      expect((await orders(at)).orders).toHaveLength(recorded);
      expect(await hitsOf(at)).toEqual([1]);
      await expectOneOrder(at, sale);
    },
  );

  test('a connection is closed after the commit even if the request is rejected', async () => {
    const at = await open();
    await addFault(at, { effect: { drop: 'after' } });
    await expect(requestOrder(at, {})).rejects.toThrow();
    expect(await orders(at)).toMatchObject({ orders: [] });
  });

  test.each([
    [{}, 504, 0],
    [{ gateway_when: 'before' }, 503, 0],
    [{ gateway_when: 'after' }, 502, 1],
  ])(
    'the HTML page of a gateway comes before the commit, or after it: %j, with status %i',
    async (when, gateway, recorded) => {
      const at = await open();
      await addFault(at, { effect: { gateway, ...when }, times: 1 });
      const sale = orderBody(await seededListing(0));
      const page = await requestOrder(at, sale, { idempotencyKey: 'k' });
      expect([page.status, page.headers.get('content-type')]).toEqual([gateway, 'text/html']);
      expect(await page.text()).toMatch(/^<html>/);
      expect((await orders(at)).orders).toHaveLength(recorded);
      await expectOneOrder(at, sale);
      expect(await newestLogged(at, { where: `status:${gateway}` })).toMatchObject({ code: null });
    },
  );

  test.each([0, 1, 20])(
    'a response truncated after %i bytes announces its full length and fails',
    async (truncate) => {
      const at = await open();
      const whole = await (await ask(at, '/pricing?domain=held-order.test')).text();
      await addFault(at, { effect: { truncate } });
      const response = await ask(at, '/pricing?domain=held-order.test');
      expect(response.status).toBe(200);
      expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(whole));
      const came: Uint8Array[] = [];
      const reading = (async () => {
        for await (const chunk of response.body ?? []) came.push(chunk);
      })();
      await expect(reading).rejects.toThrow();
      expect(Buffer.concat(came).toString()).toBe(whole.slice(0, truncate));
    },
  );

  test('a response shorter than its truncation arrives whole', async () => {
    const at = await open();
    await addFault(at, { effect: { truncate: 100_000 } });
    await answered(await ask(at, '/orders'), 200);
    expect(await hitsOf(at)).toEqual([1]);
  });

  test('an error is truncated like any other response, and the order of a truncated response is recorded', async () => {
    const at = await open();
    await addFault(at, { effect: { code: 'conflict', truncate: 10 }, times: 1 });
    const rejected = await ask(at, '/orders');
    expect(rejected.status).toBe(409);
    await expect(rejected.text()).rejects.toThrow();
    await addFault(at, { effect: { truncate: 10 } });
    const sold = await requestOrder(at, SALE);
    expect(sold.status).toBe(201);
    await expect(sold.text()).rejects.toThrow();
    expect((await orders(at)).orders).toHaveLength(1);
  });
});

describe('a delay', () => {
  test('holds the response back in real time, outside any transaction', async () => {
    const { at, runtime } = await sandboxWithRuntime();
    await addFault(at, { effect: { delay_ms: 1_500 } });
    await answered(await requestOrder(at, SALE), 201);
    expect(runtime.elapsed).toEqual([1_500]);
  });

  test.each(['before', 'after'])('%s the commit holds back an error too', async (delay) => {
    const { at, runtime } = await sandboxWithRuntime();
    const effect = { delay_ms: 700, delay };
    await addFault(at, { effect: { ...effect, code: 'internal_error' }, times: 1 });
    expect((await rejection(await requestOrder(at, SALE))).code).toBe('internal_error');
    await addFault(at, { effect, times: 1 });
    expect((await rejection(await requestOrder(at, {}))).code).toBe('validation_error');
    expect(runtime.elapsed).toEqual([700, 700]);
    expect(await orders(at)).toMatchObject({ orders: [] });
  });

  test('lets other requests through while it lasts', async () => {
    const { at, asleep, end } = await delayingSandbox();
    await addFault(at, { effect: { delay_ms: 1_000, drop: 'after' }, times: 1 });
    const slow = requestOrder(at, SALE).catch(() => 'dropped');
    await asleep;
    await answered(await requestOrder(at, orderBody(await seededListing(0))), 201);
    expect(await hitsOf(at)).toEqual([1]);
    end();
    expect(await slow).toBe('dropped');
    expect((await orders(at)).orders).toHaveLength(2);
  });
});

describe('a delay after the commit', () => {
  const AFTER = { delay_ms: 1_000, delay: 'after' };

  test('holds back only the response: the order is recorded, and a retry gets it at once', async () => {
    const { at, asleep, end } = await delayingSandbox();
    await addFault(at, { effect: AFTER, times: 1 });
    let done = false;
    const delayed = requestOrder(at, SALE, { idempotencyKey: 'k' }).finally(() => {
      done = true;
    });
    expect(await asleep).toBe(1_000);
    expect((await orders(at)).orders).toHaveLength(1);
    expect(await eventTypes(at)).toEqual(['order.recorded']);
    const retry = await answered<Order>(await requestOrder(at, SALE, { idempotencyKey: 'k' }), 201);
    expect(done).toBe(false);
    end();
    expect(await answered<Order>(await delayed, 201)).toEqual(retry);
    expect((await orders(at)).orders).toHaveLength(1);
  });

  test.each([
    [{ ...AFTER, drop: 'after' }, 1],
    [{ ...AFTER, drop: 'before' }, 0],
  ])('and %j close the connection at the end of the delay', async (effect, recorded) => {
    const { at, asleep, end } = await delayingSandbox();
    await addFault(at, { effect });
    let closed = false;
    const lost = requestOrder(at, SALE).catch(() => {
      closed = true;
    });
    await asleep;
    expect((await orders(at)).orders).toHaveLength(recorded);
    expect(closed).toBe(false);
    end();
    await lost;
    expect(closed).toBe(true);
  });

  test('ends with a response when the key is revoked or the world deleted meanwhile', async () => {
    const { at, asleep, end } = await delayingSandbox();
    const key = await mintIn(at, 'w1');
    await addFault({ control: at.control.in('w1') }, { effect: AFTER });
    const response = ask(at, '/orders', key);
    await asleep;
    await at.control.delete(`/credentials/${key.key_id}`);
    await at.control.delete('/worlds/w1');
    end();
    expect((await response).status).toBe(200);
  });

  test('that ends when the webhooks are sent holds the response until the receiver has responded', async () => {
    const { at, hook } = await withReceiver(200, { rateLimits: false });
    await addFault(at, { effect: { delay_ms: 60_000, delay: 'delivered' } });
    const responded = Promise.withResolvers<void>();
    const seen: string[] = [];
    hook.response = async (response) => {
      seen.push('webhook');
      await responded.promise;
      response.writeHead(200).end();
    };
    const ordered = requestOrder(at, SALE).then(() => seen.push('response'));
    await expect.poll(() => seen).toEqual(['webhook']);
    responded.resolve();
    await ordered;
    expect(seen).toEqual(['webhook', 'response']);
    // Without a webhook there is nothing to wait for.
    await answered(await ask(at, '/orders'), 200);
  });

  test('that ends when the webhooks are sent ends after its time if they are not', async () => {
    const runtime = testRuntime();
    const { at, hook } = await withReceiver(200, { rateLimits: false, runtime });
    hook.response = () => {};
    await addFault(at, { effect: { delay_ms: 500, delay: 'delivered' }, times: 1 });
    await answered(await requestOrder(at, SALE), 201);
    expect(runtime.elapsed).toEqual([500]);
  });

  test('is part of the duration in the request log, and its fault of the trace', async () => {
    let monotonic = 0;
    const sleep = async (ms: number) => {
      monotonic += ms;
    };
    const runtime = { ...testRuntime(), sleep, monotonic: () => monotonic };
    const at = await sandbox({ runtime });
    const { fault_id } = await addFault(at, { effect: AFTER });
    await ask(at, '/orders');
    expect(await newestLogged(at)).toMatchObject({
      status: 200,
      duration_ms: 1_000,
      trace: expect.arrayContaining([
        expect.objectContaining({ check: 'fault', detail: { fault_id, ...AFTER } }),
      ]),
    });
  });
});

test.each(['before', 'after'])(
  'closing the sandbox ends a delay %s the commit: the order is recorded and gets its response',
  async (delay) => {
    const asleep = Promise.withResolvers<void>();
    const sleep: Runtime['sleep'] = (ms, signal) => {
      asleep.resolve();
      return systemRuntime.sleep(ms, signal);
    };
    const dataDir = stateFolder();
    const at = await sandbox({ dataDir, port: 0, runtime: { ...systemRuntime, sleep } });
    await addFault(at, { effect: { delay_ms: 600_000, delay } });
    const headers = { 'Idempotency-Key': 'k' };
    const order = { method: 'POST', target: `${V1}/orders`, body: SALE, headers };
    const { url, body, ...sale } = signPartnerRequest(at.url, at.credential, order, Date.now());
    const held = fetch(url, { ...sale, body: String(body) });
    await asleep.promise;
    const closed = at.close();
    await answered<Order>(await held, 201);
    await closed;
    expect((await orders(await sandbox({ dataDir }))).orders).toHaveLength(1);
  },
);

describe('its place in the order of checks:', () => {
  test('a fault applies only after authentication and rate limiting, and still consumes the nonce and the rate limit', async () => {
    const at = await sandbox({ rateLimits: { write: 2 }, runtime: testRuntime() });
    await addFault(at, { effect: { code: 'internal_error' } });
    const poor = await mint(at, { scopes: ['search'] });
    expect((await rejection(await requestOrder(at, SALE, { key: poor }))).code).toBe('forbidden');
    expect((await rejection(await ask(at, '/nowhere'))).code).toBe('not_found');
    expect(await hitsOf(at)).toEqual([0]);

    const request = { method: 'POST', target: `${V1}/orders`, body: {} };
    const time = Date.UTC(2026, 2, 2, 9);
    const signed = signPartnerRequest('http://localhost', at.credential, request, time);
    const sendAgain = () => at.fetch(signed.url, { ...signed, body: String(signed.body) });
    // Neither its Idempotency-Key nor its body is looked at.
    expect((await rejection(await sendAgain())).code).toBe('internal_error');
    expect((await rejection(await sendAgain())).code).toBe('replay_detected');
    expect((await rejection(await requestOrder(at, SALE))).code).toBe('internal_error');
    expect((await rejection(await requestOrder(at, SALE))).code).toBe('rate_limited');
    expect(await hitsOf(at)).toEqual([2]);
  });

  test('a fault takes precedence over a stored response', async () => {
    const at = await sandbox();
    await answered(await requestOrder(at, SALE, { idempotencyKey: 'k' }), 201);
    await addFault(at, { effect: { code: 'internal_error' } });
    expect((await requestOrder(at, SALE, { idempotencyKey: 'k' })).status).toBe(500);
  });
});

describe('which requests:', () => {
  const get = (path: string) => (at: InProcessSandbox) => ask(at, path);
  const head = (at: InProcessSandbox) => at.call({ method: 'HEAD', target: `${V1}/orders` });
  const quote = (domain: string) => (at: InProcessSandbox) => send(at, '/quotes', { domain });
  const order = (at: InProcessSandbox) => requestOrder(at, SALE);
  const BY_PATH = [
    get('/domains/search?q=a'),
    get('/domains/held-order.test'),
    get('/domains/Held-Order.test'),
    get('/domains/reserved%2Etest'),
    get('/orders'),
  ];
  const BY_DOMAIN = [
    get('/domains/HELD-order.test.'),
    get('/availability?domain=held-order.test'),
    get('/domains/search?q=held-order.test'),
    order,
    quote('held-order.test'),
    get('/availability?domain=auto-complete.test'),
    get('/orders'),
  ];

  test.each([
    ['by method; HEAD counts as GET', { method: 'GET' }, [get('/orders'), head, order], 'xx.'],
    ['by the path of an endpoint', { path: '/domains/{name}' }, BY_PATH, '.xxx.'],
    ['by a path as it is requested', { path: '/domains/reserved.test' }, BY_PATH, '...x.'],
    ['by exactly a path', { path: '/orders' }, [get('/orders'), get('/orders/x')], 'x.'],
    ['by the beginning of a path', { path: `${V1}/domains*` }, BY_PATH, 'xxxx.'],
    ['by any path', { path: '*' }, BY_PATH, 'xxxxx'],
    [
      'by domain, wherever the request names it',
      { domain: 'held-order.test' },
      BY_DOMAIN,
      'xxxxx..',
    ],
    [
      'by all fields at once',
      { method: 'POST', path: '/quotes', domain: 'held-order.test' },
      [quote('auto-complete.test'), get('/domains/held-order.test'), quote('held-order.test')],
      '..x',
    ],
  ])('%s', async (_title, match, calls, expected) => {
    const at = await sandbox({ rateLimits: false });
    await addFault(at, { match, effect: { code: 'conflict' } });
    let seen = '';
    for (const call of calls) seen += (await call(at)).status === 409 ? 'x' : '.';
    expect(seen).toBe(expected);
  });

  test('by domain, if the request names an order or a quote of it', async () => {
    const at = await sandbox();
    const { public_id } = await answered<Order>(await requestOrder(at, SALE), 201);
    const quote = await send(at, '/quotes', { domain: 'held-order.test' });
    const { quote_id } = await answered<{ quote_id: string }>(quote, 201);
    const match = { domain: 'held-order.test' };
    await addFault(at, { match, effect: { code: 'rate_limited' } });
    const naming = [
      ask(at, `/orders/${public_id}`),
      send(at, '/refunds', { public_id }),
      requestOrder(at, { quote_id, external_payment_ref: 'r1' }),
    ];
    const others = [ask(at, '/orders/ord_unknown'), send(at, '/refunds', { public_id: 7 })];
    const statuses = (await Promise.all([...naming, ...others])).map(({ status }) => status);
    expect(statuses).toEqual([429, 429, 429, 404, 400]);
  });

  test('by key id, in either environment', async () => {
    const at = await sandbox();
    const live = await mintLive(at, { partner: 'local' });
    await addFault(at, { match: { key_id: live.key_id }, effect: { code: 'conflict' } });
    expect((await ask(at, '/orders')).status).toBe(200);
    expect((await ask(at, '/orders', live)).status).toBe(409);
  });

  test('every endpoint can be matched by its path, as declared and as documents spell it', async () => {
    const at = await sandbox({ rateLimits: false });
    const spellings = ENDPOINTS.flatMap((endpoint) => [
      { ...endpoint, spelled: endpoint.path },
      { ...endpoint, spelled: spellPath(endpoint.path) },
    ]);
    for (const { method, path, spelled } of spellings) {
      await at.control.delete('/faults');
      await addFault(at, { match: { method, path: spelled }, effect: { code: 'quote_expired' } });
      const target = path.replace(/:\w+/, 'x.example');
      const response = await at.call({ method, target, ...(method !== 'GET' && { body: {} }) });
      expect((await rejection(response)).code, `${method} ${spelled}`).toBe('quote_expired');
    }
  });
});

describe('how often:', async () => {
  const shared = await sharedSandbox({ rateLimits: false });

  /** Which of so many calls a fault acts on. */
  async function pattern(at: InProcessSandbox, input: object, calls = 12): Promise<string> {
    await at.control.delete('/faults');
    await addFault(at, { effect: { code: 'conflict' }, ...input });
    let seen = '';
    for (let n = 0; n < calls; n += 1)
      seen += (await ask(at, '/orders')).status === 409 ? 'x' : '.';
    expect(await hitsOf(at)).toEqual([seen.replaceAll('.', '').length]);
    return seen;
  }

  test.each([
    [{ match: { nth: 1 } }, 'x...........'],
    [{ match: { nth: 4 } }, '...x........'],
    [{ match: { nth: 13 } }, '............'],
    [{ match: { nth: 4 }, times: 9 }, '...x........'],
    [{ match: { first: 3 } }, 'xxx.........'],
    [{ match: { every: 3 } }, '..x..x..x..x'],
    [{ times: 2 }, 'xx..........'],
    [{ match: { every: 3, first: 7 } }, '..x..x......'],
    [{ match: { every: 2 }, times: 3 }, '.x.x.x......'],
    [{ match: { probability: 1 } }, 'xxxxxxxxxxxx'],
  ])('%j acts on %s', async (input, expected) => {
    expect(await pattern(shared, input)).toBe(expected);
  });

  test('nth counts only the requests that match', async () => {
    const at = await sandbox({ rateLimits: false });
    await addFault(at, { match: { path: '/events', nth: 2 }, effect: { code: 'conflict' } });
    const statuses = [];
    for (const path of ['/orders', '/events', '/orders', '/events', '/events']) {
      statuses.push((await ask(at, path)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 409, 200]);
  });

  test('by probability: the same seed and requests give the same hits, another seed others', async () => {
    const half = async (seed: string) =>
      pattern(await sandbox({ rateLimits: false, seed }), { match: { probability: 0.5 } }, 60);
    const one = await half('a');
    expect(await half('a')).toBe(one);
    expect(await half('b')).not.toBe(one);
    const hits = one.replaceAll('.', '').length;
    expect(hits).toBeGreaterThan(15);
    expect(hits).toBeLessThan(45);
  });

  test('of twenty requests at once, the first five and no more', async () => {
    const at = await sandbox({ rateLimits: false });
    await addFault(at, { match: { first: 5 }, effect: { code: 'internal_error' } });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => requestOrder(at, SALE, { idempotencyKey: randomUUID() })),
    );
    expect(responses.filter((response) => response.status === 500)).toHaveLength(5);
    expect(responses.filter((response) => response.status === 201)).toHaveLength(15);
    expect((await orders(at)).orders).toHaveLength(15);
    expect(await hitsOf(at)).toEqual([5]);
  });

  test('counting continues after a restart', async () => {
    const { dataDir, at: before } = await sandboxOnDisk();
    await addFault(before, { match: { every: 3 }, effect: { code: 'conflict' } });
    expect((await ask(before, '/orders')).status).toBe(200);
    expect((await ask(before, '/orders')).status).toBe(200);
    await before.close();
    const after = await sandbox({ dataDir });
    expect((await ask(after, '/orders')).status).toBe(409);
    expect(await hitsOf(after)).toEqual([1]);
  });
});

describe('several faults:', () => {
  test('only the first that acts is injected; one without hits left lets the next act', async () => {
    const at = await sandbox();
    await addFault(at, { effect: { code: 'conflict' }, times: 1 });
    await addFault(at, { effect: { code: 'price_mismatch' }, times: 1 });
    const codes = [];
    for (const _ of [1, 2]) codes.push((await rejection(await ask(at, '/orders'))).code);
    expect(codes).toEqual(['conflict', 'price_mismatch']);
    expect((await ask(at, '/orders')).status).toBe(200);
    expect(await hitsOf(at)).toEqual([1, 1]);
  });

  test('one that does not act has counted the request, one after the acting one has not', async () => {
    const at = await sandbox();
    await addFault(at, { match: { every: 2 }, effect: { code: 'conflict' } });
    await addFault(at, { match: { every: 2 }, effect: { code: 'forbidden' } });
    const seen = [];
    for (let n = 0; n < 8; n += 1) seen.push((await ask(at, '/orders')).status);
    expect(seen).toEqual([200, 409, 403, 409, 200, 409, 403, 409]);
  });

  test('one that is deleted is not triggered by the next request', async () => {
    const at = await sandbox();
    const { fault_id } = await addFault(at, { effect: { code: 'conflict' } });
    expect((await ask(at, '/orders')).status).toBe(409);
    await at.control.delete(`/faults/${fault_id}`);
    expect((await ask(at, '/orders')).status).toBe(200);
  });

  test('one for a magic domain takes precedence over its magic', async () => {
    const { at, runtime } = await sandboxWithRuntime();
    await addFault(at, { match: { domain: 'slow.test' }, effect: { code: 'conflict' } });
    await addFault(at, { match: { domain: 'server-error.test' }, effect: { delay_ms: 5 } });
    await addFault(at, { match: { domain: 'rate-limited.test' }, effect: { code: 'not_found' } });
    expect((await ask(at, '/domains/slow.test')).status).toBe(409);
    expect((await ask(at, '/domains/server-error.test')).status).toBe(500);
    expect(await rejection(await ask(at, '/domains/rate-limited.test'))).toMatchObject({
      status: 404,
      retryAfter: null,
    });
    expect(runtime.elapsed).toEqual([3_000, 5]);
  });
});
