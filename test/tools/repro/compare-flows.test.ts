import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSandbox } from '../../../src/index.ts';
import { lazilyAsync } from '../../../src/kernel/lazily.ts';
import { contextOf, explain } from '../../../src/tools/repro/commands/compare-repros.ts';
import { compareFlows } from '../../../src/tools/repro/compare-flows.ts';
import { align } from '../../../src/tools/repro/flow.ts';
import type { ActRecord, Repro, RequestRecord } from '../../../src/tools/repro/format.ts';
import { readRepro } from '../../../src/tools/repro/read-repro.ts';
import { orderBody, quoteFor, requestOrder } from '../../support/orders.ts';
import { receiver } from '../../support/receiver.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { folderWith } from './folder-with.ts';
import { sampleRepro, sampleRequest } from './sample-repro.ts';

/** Two runs of a test. */
async function twoRuns(): Promise<[a: Repro, b: Repro]> {
  return structuredClone(await runs());
}

const runs = lazilyAsync(() => Promise.all([runOfTest('one'), runOfTest('two')]));

/** A scripted test: two sales, a retry, a rejected order, a move of an order, a list. */
async function runOfTest(keys: string): Promise<Repro> {
  const at = await createSandbox({ inventory: 300, port: false });
  const hook = await receiver();
  const body = { url: hook.url, secret: 'whsec_test' };
  await at.call({ method: 'PUT', target: '/api/partner/webhooks', body });
  const [first, second] = [await seededListing(1), await seededListing(2)];
  await quoteFor(at, first.domain);
  const sale = orderBody(first, { external_payment_ref: 'pay-1' });
  const sold = await requestOrder(at, sale, { idempotencyKey: `${keys}-1` });
  const { public_id } = (await sold.json()) as { public_id: string };
  // On a busy machine, several outcomes would come into one act.
  await at.idle();
  await requestOrder(at, sale, { idempotencyKey: `${keys}-1` });
  await requestOrder(at, sale, { idempotencyKey: `${keys}-2` });
  await at.call({ method: 'GET', target: `/api/partner/v1/orders/${public_id}` });
  await at.control.post(`/orders/${public_id}/advance`, {});
  await at.idle();
  await at.call({ method: 'GET', target: `/api/partner/v1/orders/${public_id}` });
  await requestOrder(at, orderBody(second), { idempotencyKey: `${keys}-3` });
  await at.idle();
  await at.call({ method: 'GET', target: '/api/partner/v1/orders?limit=5' });
  const { bytes } = await at.exportRepro();
  await at.close();
  return readRepro(bytes);
}

const requests = ({ inputs }: Repro) => inputs.filter((each) => each.kind === 'request');
const orders = (repro: Repro) => requests(repro).filter(({ target }) => target.endsWith('/orders'));
const outcomes = ({ inputs }: Repro) =>
  inputs.filter((each): each is ActRecord => each.kind === 'act' && each.cause.type === 'outcome');

function at<T>(items: readonly T[], n: number): T {
  const item = items.at(n);
  if (item === undefined) throw new Error(`no item ${n}`);
  return item;
}

function respond(request: RequestRecord, change: (body: Record<string, unknown>) => void) {
  const { response } = request;
  if (!response || 'closed' in response || !('text' in response.body)) throw new Error('no text');
  const body = JSON.parse(response.body.text);
  change(body);
  response.body = { text: JSON.stringify(body) };
}

function withStatus(request: RequestRecord, status: number) {
  if (request.response && 'status' in request.response) request.response.status = status;
}

function drop(repro: Repro, request: RequestRecord) {
  repro.inputs = repro.inputs.filter(
    (each) => each !== request && !(each.kind === 'act' && request.acts.includes(each.n)),
  );
}

test('two runs of one test are equal', async () => {
  const [a, b] = await twoRuns();
  expect(compareFlows(a, b).differences).toEqual([]);
  const { compared } = compareFlows(a, b);
  expect(compared.responses).toBe(requests(a).length);
  expect(compared.events).toBeGreaterThan(2);
  expect(compared.fields).toBeGreaterThan(50);
});

const SALE = 1;
const MUTATIONS: Record<
  string,
  [mutate: (b: Repro) => void, kind: string, path?: string | RegExp]
> = {
  'a call is missing': [(b) => drop(b, at(requests(b), 1)), 'call_only_a'],
  'a call is added': [
    (b) => b.inputs.push({ ...structuredClone(at(requests(b), -1)), method: 'DELETE' }),
    'call_only_b',
  ],
  'the retry has a new key': [
    (b) => {
      for (const header of at(orders(b), SALE).headers) {
        if (header[0].toLowerCase() === 'idempotency-key') header[1] = 'another';
      }
    },
    'header',
    'Idempotency-Key',
  ],
  'a status': [(b) => withStatus(at(orders(b), 0), 200), 'status', 'status'],
  'an error code': [
    (b) => respond(at(orders(b), 2), (body) => Object.assign(body.error ?? {}, { code: 'other' })),
    'code',
    'error.code',
  ],
  'a missing field': [
    (b) =>
      respond(at(orders(b), 0), (body) => {
        delete body.currency;
      }),
    'missing',
    'currency',
  ],
  'an added field': [
    (b) => respond(at(orders(b), 0), (body) => Object.assign(body, { extra: 1 })),
    'added',
    'extra',
  ],
  'a type': [
    (b) => respond(at(orders(b), 0), (body) => Object.assign(body, { sale_price_cents: '199900' })),
    'type',
    'sale_price_cents',
  ],
  'a value': [
    (b) => respond(at(orders(b), 0), (body) => Object.assign(body, { sale_price_cents: 1 })),
    'value',
    'sale_price_cents',
  ],
  'the id of another order': [
    (b) =>
      respond(at(requests(b), 5), (body) =>
        Object.assign(body, { public_id: 'ord_0000009hm2k4c1bfa' }),
      ),
    'value',
    'public_id',
  ],
  'a time a day later': [
    (b) =>
      respond(at(requests(b), 1), (body) => {
        const later = Date.parse(String(body.expires_at)) + 86_400_000;
        Object.assign(body, { expires_at: new Date(later).toISOString() });
      }),
    'value',
    'expires_at',
  ],
  'a request body': [
    (b) => {
      at(orders(b), 3).body = { text: '{"domain":"other.test"}' };
    },
    'value',
    'request.domain',
  ],
  'a response header': [
    (b) => {
      const { response } = at(orders(b), 0);
      if (response && 'headers' in response) response.headers.push(['X-New', '1']);
    },
    'header',
    'x-new',
  ],
  'the first of two response headers of one name': [
    (b) => {
      const { response } = at(orders(b), 0);
      if (response && 'headers' in response)
        response.headers.unshift(['Content-Type', 'text/plain']);
    },
    'header',
    'content-type',
  ],
  'an event is missing': [
    (b) => {
      const id = at(outcomes(b), 0).cause;
      b.inputs = b.inputs.filter(
        (each) =>
          each.kind !== 'act' || !('id' in each.cause) || !('id' in id) || each.cause.id !== id.id,
      );
    },
    'event_only_a',
  ],
  'the outcome of a delivery': [
    (b) => {
      at(outcomes(b), 0).given = [
        { outcome: 'timeout', http_status: null, duration_ms: 1, response: null },
      ];
    },
    'delivery_outcome',
    'attempt 1',
  ],
  'a second delivery': [
    (b) => {
      const act = at(outcomes(b), 0);
      act.given = [...(act.given ?? []), ...(act.given ?? [])];
    },
    'delivery_count',
  ],
  'two calls in another order': [
    (b) => {
      const [first, second] = [at(requests(b), 1), at(orders(b), 0)];
      const own = (of: RequestRecord) =>
        b.inputs.filter((each) => each === of || (each.kind === 'act' && of.acts.includes(each.n)));
      const moved = [...own(second), ...own(first)];
      const start = b.inputs.indexOf(first);
      b.inputs = b.inputs.filter((each) => !moved.includes(each)).toSpliced(start, 0, ...moved);
    },
    'call_order',
  ],
  'a query parameter': [
    (b) => {
      at(requests(b), -1).target += '&status=SETTLED';
    },
    'added',
    'request.status',
  ],
  'no response': [
    (b) => {
      at(orders(b), 0).response = { closed: true };
    },
    'status',
    'status',
  ],
  'an element of a list is missing': [
    (b) => respond(at(requests(b), -1), (body) => (body.orders as unknown[]).pop()),
    'missing',
    /^orders\[ord_\w+\]$/,
  ],
  'the order of a list': [
    (b) => respond(at(requests(b), -1), (body) => (body.orders as unknown[]).reverse()),
    'order',
    'orders',
  ],
  'the body of a webhook': [
    (b) => {
      const sent = b.inputs.find((each) => each.kind === 'act' && each.params?.body);
      if (sent?.kind !== 'act' || !sent.params?.body) throw new Error('no webhook');
      sent.params.body = sent.params.body.replace('"currency":"USD"', '"currency":"EUR"');
    },
    'value',
    'data.order.currency',
  ],
  'a field of an element of a list': [
    (b) =>
      respond(at(requests(b), -1), (body) =>
        Object.assign((body.orders as object[])[1] ?? {}, { currency: 'EUR' }),
      ),
    'value',
    /^orders\[ord_\w+\]\.currency$/,
  ],
};

test('each mutation of the second run is named first, and nothing before it', async () => {
  const [a, original] = await twoRuns();
  for (const [name, [mutate, kind, field = '']] of Object.entries(MUTATIONS)) {
    const b = structuredClone(original);
    mutate(b);
    const [first] = compareFlows(a, b).differences;
    const expected = {
      name,
      kind,
      path: field instanceof RegExp ? expect.stringMatching(field) : field,
    };
    expect({ name, kind: first?.kind, path: first?.path }).toEqual(expected);
  }
});

test('a longest common sequence is as long as that of the table, in order', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(letters, letters, (a, b) => {
      const table = a.map(() => b.map(() => 0));
      for (const [i, x] of a.entries()) {
        for (const [j, y] of b.entries()) {
          const [up, left] = [table[i - 1]?.[j] ?? 0, table[i]?.[j - 1] ?? 0];
          at(table, i)[j] = x === y ? (table[i - 1]?.[j - 1] ?? 0) + 1 : Math.max(up, left);
        }
      }
      const pairs = align(a, b);
      expect(pairs).toHaveLength(table.at(-1)?.at(-1) ?? 0);
      for (const [n, [i, j]] of pairs.entries()) {
        expect(a[i]).toBe(b[j]);
        const before = pairs[n - 1];
        if (before) expect(i > before[0] && j > before[1]).toBe(true);
      }
    }),
  );
});

test('repro compare names the first difference, counts the rest, and exits 1; 0 if they are the same', async () => {
  const [a] = await twoRuns();
  const b = structuredClone(a);
  withStatus(at(orders(b), 1), 409);
  respond(at(requests(b), -1), (body) => Object.assign(body, { extra: 1 }));
  const { run } = folderWith({ 'a.gz': a, 'b.gz': b });
  const differs = await run('repro compare a.gz b.gz');
  expect(differs).toMatchObject({ code: 1, stderr: '' });
  expect(differs.stdout).toMatch(
    /^First difference: call 3 of order \S+\. In A, POST \/orders gets 201; in B, 409/,
  );
  expect(differs.stdout).toMatch(
    /\n {2}A {2}#\d+ POST \/quotes 201 .*POST \/orders 201\n {2}B {2}#\d+ .*POST \/orders 409/,
  );
  expect(differs.stdout).toContain('Then: 1 field in 1 operation (--all)\n');
  expect((await run('repro compare a.gz b.gz --all')).stdout).toContain(
    'Then:\n  1 field only in B: GET /orders extra\nCompared ',
  );
  const { result, first, groups } = (await run('repro compare a.gz b.gz --json')).json<{
    result: string;
    first: object;
    groups: object[];
  }>();
  expect({ result, first, groups }).toMatchObject({
    result: 'differs',
    first: { kind: 'status', operation: 'POST /orders' },
    groups: [{ kind: 'added', operation: 'GET /orders', path: 'extra', count: 1 }],
  });
  expect(await run('repro compare a.gz a.gz')).toMatchObject({ code: 0 });
});

test('a retry with a new Idempotency-Key is explained by the call that it repeats', async () => {
  const [a] = await twoRuns();
  const b = structuredClone(a);
  for (const header of at(orders(b), SALE).headers) {
    if (header[0].toLowerCase() === 'idempotency-key') header[1] = 'another';
  }
  withStatus(at(orders(b), SALE), 409);
  const { stdout } = await folderWith({ 'a.gz': a, 'b.gz': b }).run('repro compare a.gz b.gz');
  expect(stdout).toMatch(
    /call 3 of order \S+\. In A, POST \/orders 201 is retried with the same Idempotency-Key; in B, with a new one\.\n/,
  );
  expect(stdout).toMatch(
    /\n {2}A .*POST \/orders 201 \(key 1\) {3}#\d+ POST \/orders 201 \(key 1\)\n/,
  );
  expect(stdout).toMatch(
    /\n {2}B .*POST \/orders 201 \(key 1\) {3}#\d+ POST \/orders 409.* \(key 2\)\n/,
  );
  expect(stdout).toContain('Then: 1 status (POST /orders 1) (--all)');
});

test('every kind of difference is a sentence', async () => {
  const [a, original] = await twoRuns();
  const sentences = Object.values(MUTATIONS).map(([mutate]) => {
    const b = structuredClone(original);
    mutate(b);
    return explain(at(compareFlows(a, b).differences, 0)).replaceAll(/ord_\w+/g, 'ID');
  });
  for (const each of sentences) {
    expect(each).toMatch(/^(?:call|event) \d+(?: of (?:order )?\S+| without a domain)\. \S.*\.$/);
    expect(each).not.toContain('undefined');
  }
  expect(new Set(sentences).size).toBe(sentences.length);
});

test('a call that only one file has is shown after what comes before it in both', async () => {
  const [a, b] = await twoRuns();
  drop(b, at(orders(b), 1));
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const [first] = compareFlows(one, other).differences;
    const lines = first ? contextOf(first) : [];
    expect(lines.map((line) => line.match(/POST \/quotes 201 {3}#\d+ POST \/orders 201/))).toEqual([
      expect.anything(),
      expect.anything(),
    ]);
  }
});

test('a difference keeps what it shows of the file that lacks the call, not all that comes before', () => {
  const [a, b] = ['/a', '/b'].map((target) =>
    sampleRepro(Array.from({ length: 20 }, (_, n) => sampleRequest(n + 1, { target })).flat()),
  ) as [Repro, Repro];
  const { differences } = compareFlows(a, b);
  expect(differences).toHaveLength(40);
  for (const { before } of differences) expect(before.length).toBeLessThanOrEqual(3);
});

test('repro compare of files without responses exits 3', async () => {
  const [a] = await twoRuns();
  a.inputs = a.inputs.filter((each) => each.kind === 'request' || each.cause.type !== 'outcome');
  for (const each of requests(a)) delete each.response;
  expect(await folderWith({ 'a.gz': a }).run('repro compare a.gz a.gz')).toMatchObject({ code: 3 });
});

test.each([
  ['a.gz', 'other: pass a second file, or --with'],
  ['a.gz a.gz --with 1.0.0', 'other: pass a second file, or --with'],
  ['a.gz --with ./none.js', '--with: ./none.js cannot replay the file: '],
  ['a.gz --with $(x)', '--with: pass a version such as 0.1.0, or the path'],
])('repro compare %s exits 2', async (args, message) => {
  const { run } = folderWith({ 'a.gz': (await twoRuns())[0] });
  const { code, stderr } = await run(['repro', 'compare', ...args.split(' ')]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});
