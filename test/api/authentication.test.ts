import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import {
  type Forgery,
  forge,
  SIGNING_HEADERS,
  type SigningHeader,
  sendForged,
  sendRaw,
} from '../support/forged-request.ts';
import { mint } from '../support/orders.ts';
import { answered, rejection } from '../support/responses.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox, sandboxOnDisk, sandboxWithRuntime, sharedSandbox } from '../support/sandbox.ts';
import { overWire } from '../support/wire.ts';

const LIST = { method: 'GET', target: '/api/partner/v1/orders' } as const;
const QUOTE = {
  method: 'POST',
  target: '/api/partner/v1/quotes',
  body: '{"domain": "held-order.test"}',
} as const;

async function rejected(at: InProcessSandbox, forgery: Forgery, request = LIST) {
  return rejection(await sendForged(at, request, forgery));
}

/** For calls that change nothing, in process and over the wire. */
const shared = await sharedSandbox({ port: 0, rateLimits: false });

test('a request signed by the words of the specification is let in', async () => {
  const at = await sandbox();
  await answered(await sendForged(at, LIST), 200);
  await answered(await sendForged(at, QUOTE), 201);
});

describe('the four headers', () => {
  const subsets: SigningHeader[][] = Array.from({ length: 15 }, (_, n) =>
    SIGNING_HEADERS.filter((_name, at) => ((n + 1) >> at) & 1),
  );

  test.each(subsets.map((missing) => [missing.join(', '), missing] as const))(
    'without %s the first of them is named',
    async (_names, missing) => {
      const code = missing.includes('Key-Id') ? 'missing_credentials' : 'missing_signature_headers';
      for (const forgery of [{ without: missing }, { empty: missing }]) {
        const response = await rejected(shared, forgery);
        expect(response).toMatchObject({ status: 401, code });
        expect(response.message).toContain(`X-Service-${missing[0]}:`);
      }
    },
  );
});

describe('the timestamp', () => {
  test.each([0, 1, -1, 299, -299, 300, -300])('may be %d s off', async (skew) => {
    const { at, runtime } = await sandboxWithRuntime();
    const timestamp = runtime.time / 1_000 + skew;
    await answered(await sendForged(at, LIST, { timestamp }), 200);
  });

  test.each([301, -301, 3_600, -86_400, 1e9])('may not be %d s off', async (skew) => {
    const { at, runtime } = await sandboxWithRuntime();
    const timestamp = runtime.time / 1_000 + skew;
    const response = await rejected(at, { timestamp });
    expect(response).toMatchObject({ status: 401, code: 'invalid_timestamp' });
    expect(response.message).toContain(`${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'}`);
  });

  test('counts whole seconds of the server, as the client sends them', async () => {
    const { at, runtime } = await sandboxWithRuntime();
    const second = runtime.time / 1_000;
    runtime.time += 999;
    await answered(await sendForged(at, LIST, { timestamp: second - 300 }), 200);
    await answered(await sendForged(at, LIST, { timestamp: second + 300 }), 200);
    expect(await rejected(at, { timestamp: second + 301 })).toMatchObject({
      code: 'invalid_timestamp',
    });
  });

  test('is checked on the real clock, not on the sandbox clock', async () => {
    const at = await sandbox();
    await at.control.post('/clock/advance', { by: '30d' });
    await answered(await at.call(LIST), 200);
  });

  test('in milliseconds is named in the error', async () => {
    const { at, runtime } = await sandboxWithRuntime();
    const response = await rejected(at, { timestamp: runtime.time });
    expect(response).toMatchObject({ status: 401, code: 'invalid_timestamp' });
    expect(response.message).toContain('milliseconds');
  });

  test.each([
    '1e9',
    '-1772442000',
    '+1772442000',
    '1772442000.0',
    '1 772 442 000',
    'now',
    '2026-03-02T09:00:00Z',
    '9'.repeat(17),
    '9'.repeat(400),
  ])('%s is none, though signed rightly', async (timestamp) => {
    const at = await sandbox({ runtime: testRuntime(1_772_442_000_000) });
    expect(await rejected(at, { timestamp })).toMatchObject({
      status: 401,
      code: 'invalid_timestamp',
    });
  });
});

describe('the key', () => {
  test('unknown is rejected like a wrong signature', async () => {
    const at = await sandbox();
    const key = { key_id: 'dmk_sandbox_nobody', secret: at.credential.secret };
    expect(await rejected(at, { key })).toMatchObject({ status: 401, code: 'invalid_signature' });
  });

  test('a revoked credential is rejected from then on, and no other is', async () => {
    const at = await sandbox();
    const key = await mint(at, { partner: 'gone tomorrow' });
    const other = await mint(at, { partner: 'gone tomorrow' });
    await answered(await at.call(LIST, key), 200);
    await at.control.delete(`/credentials/${key.key_id}`);
    expect(await rejected(at, { key })).toMatchObject({ status: 401, code: 'invalid_signature' });
    await answered(await at.call(LIST, other), 200);
  });

  test('of an unusual name is unknown like any other', async () => {
    const at = await sandbox();
    const strangers = ['constructor', '__proto__', 'toString', 'dmk_sandbox_local ', '%00'];
    for (const key_id of strangers) {
      const key = { key_id, secret: 'guess' };
      expect(await rejected(at, { key })).toMatchObject({ status: 401, code: 'invalid_signature' });
    }
  });
});

describe('the signature', () => {
  const MISSPELLINGS: Record<string, (right: string) => string> = {
    'without v1=': (right) => right,
    'with V1=': (right) => `V1=${right}`,
    'with v2=': (right) => `v2=${right}`,
    'with a blank behind v1=': (right) => `v1= ${right}`,
    'in upper-case hex': (right) => `v1=${right.toUpperCase()}`,
    'in base64': (right) => `v1=${Buffer.from(right, 'hex').toString('base64')}`,
    'cut short': (right) => `v1=${right.slice(0, -1)}`,
    'with a digit too many': (right) => `v1=${right}0`,
    twice: (right) => `v1=${right}, v1=${right}`,
    'that is only v1=': () => 'v1=',
    'of zeros': () => `v1=${'0'.repeat(64)}`,
    'with one digit changed': (right) =>
      `v1=${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}`,
  };

  test.each(Object.entries(MISSPELLINGS))('%s is rejected', async (name, signature) => {
    const reason = /zeros|digit changed/.test(name) ? 'does not match' : 'hex';
    const message = expect.stringContaining(reason);
    const expected = { status: 401, code: 'invalid_signature', message };
    expect(await rejected(shared, { signature })).toMatchObject(expected);
  });

  test.each<[string, Forgery]>([
    ['body', { signed: { body: '{"domain":"held-order.test"}' } }],
    ['body by one blank', { signed: { body: `${QUOTE.body} ` } }],
    ['method', { signed: { method: 'PUT' } }],
    ['method in lower case', { signed: { method: 'post' } }],
    ['path', { signed: { path: '/api/partner/v1/orders' } }],
    ['path by its prefix', { signed: { path: '/quotes' } }],
    ['query', { signed: { query: 'a=b' } }],
    ['nonce', { signed: { nonce: 'another' } }],
    ['secret', { key: { key_id: 'dmk_sandbox_local', secret: 'dms_sandbox_local_not_a_secre' } }],
  ])('over another %s is rejected', async (_what, forgery) => {
    const response = await rejection(await sendForged(shared, QUOTE, forgery));
    expect(response).toMatchObject({ status: 401, code: 'invalid_signature' });
  });

  test('covers the very timestamp of the header', async () => {
    const at = await sandbox();
    const { headers, ...request } = forge(at.credential, LIST);
    const later = String(Number(headers['X-Service-Timestamp']) + 1);
    const changed = { ...headers, 'X-Service-Timestamp': later };
    expect(await rejection(await sendRaw(at, { ...request, headers: changed }))).toMatchObject({
      code: 'invalid_signature',
    });
  });

  test('of a body counts its bytes', async () => {
    const at = await sandbox();
    const body = new Uint8Array([0xff, 0x00, 0x0d, 0x0a]);
    const response = await rejection(await sendForged(at, { ...QUOTE, body }));
    expect(response).toMatchObject({ status: 400, code: 'validation_error' });
    const other = new Uint8Array([0xff, 0x00, 0x0a]);
    const forged = forge(at.credential, { ...QUOTE, body });
    expect(await rejection(await sendRaw(at, { ...forged, body: other }))).toMatchObject({
      code: 'invalid_signature',
    });
  });

  test('and the secret are in no error message', async () => {
    const at = await sandbox();
    const other = await mint(at, { partner: 'other', secret: 'hunter2-hunter2' });
    const forgeries: Forgery[] = [
      ...Object.values(MISSPELLINGS).map((signature) => ({ signature })),
      { key: { ...at.credential, secret: other.secret } },
      { key: { ...other, secret: at.credential.secret } },
      { key: { ...at.credential, secret: 'wrong' } },
      { signed: { method: 'get' } },
      { signed: { path: '/orders' } },
      { signed: { body: 'x' } },
      { timestamp: Date.now() },
      { nonce: 'n'.repeat(129) },
      { without: ['Signature'] },
    ];
    for (const forgery of forgeries) {
      const { right, ...request } = forge(at.credential, LIST, forgery);
      const rightOfDefault = forge(at.credential, LIST, {
        timestamp: request.headers['X-Service-Timestamp'] ?? '',
        nonce: request.headers['X-Service-Nonce'] ?? '',
      }).right;
      const text = await (await sendRaw(at, request)).text();
      for (const secret of [at.credential.secret, other.secret, right, rightOfDefault]) {
        expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
      }
    }
  });
});

describe('the nonce', () => {
  test('is good for one request', async () => {
    const at = await sandbox();
    const forgery = { nonce: 'once' };
    await answered(await sendForged(at, LIST, forgery), 200);
    for (const request of [LIST, QUOTE]) {
      expect(await rejection(await sendForged(at, request, forgery))).toMatchObject({
        status: 401,
        code: 'replay_detected',
      });
    }
  });

  test('is used by a request that fails a later check', async () => {
    const at = await sandbox();
    const bodies = { ...QUOTE, body: 'no json' };
    const rejections = [
      [{ method: 'GET', target: '/api/partner/v1/nowhere' }, 404],
      [bodies, 400],
    ] as const;
    for (const [request, status] of rejections) {
      const nonce = `spent ${status}`.replace(' ', '-');
      expect(await rejection(await sendForged(at, request, { nonce }))).toMatchObject({ status });
      expect(await rejected(at, { nonce })).toMatchObject({ code: 'replay_detected' });
    }
  });

  test('is not used by a request that fails an earlier check', async () => {
    const at = await sandbox();
    const nonce = 'kept';
    const failures: Forgery[] = [
      { signature: () => `v1=${'0'.repeat(64)}` },
      { signed: { method: 'POST' } },
      { timestamp: 1 },
      { key: { key_id: 'dmk_sandbox_nobody', secret: 's' } },
      { without: ['Signature'] },
      { without: ['Key-Id'] },
    ];
    for (const failure of failures) {
      expect((await rejected(at, { ...failure, nonce })).status).toBe(401);
    }
    const huge = { ...QUOTE, body: 'x'.repeat(1024 * 1024 + 1) };
    expect((await rejection(await sendForged(at, huge, { nonce }))).status).toBe(413);
    await answered(await sendForged(at, LIST, { nonce }), 200);
  });

  test('belongs to its credential', async () => {
    const at = await sandbox();
    const other = await mint(at);
    await answered(await sendForged(at, LIST, { nonce: 'shared' }), 200);
    await answered(await sendForged(at, LIST, { nonce: 'shared', key: other }), 200);
  });

  test.each(['!', '~', 'a'.repeat(128), '"quoted"', 'A', 'a'])('may be %s', async (nonce) => {
    const at = await sandbox();
    await answered(await sendForged(at, LIST, { nonce }), 200);
  });

  test.each(['a'.repeat(129), 'a'.repeat(5_000), 'two words', 'tab\tbed'])(
    'may not be %j',
    async (nonce) => {
      const response = await rejected(shared, { nonce });
      expect(response).toMatchObject({ status: 400, code: 'validation_error' });
      expect(response.message).toContain('X-Service-Nonce');
    },
  );

  test('is tracked for 600 s of real time', async () => {
    const { at, runtime } = await sandboxWithRuntime();
    const again = () => sendForged(at, LIST, { nonce: 'n', now: runtime.time });
    for (let n = 0; n < 2; n += 1) {
      await answered(await again(), 200);
      runtime.time += 599_999;
      expect(await rejection(await again())).toMatchObject({ code: 'replay_detected' });
      runtime.time += 1;
    }
  });

  test('is forgotten by a restart', async () => {
    const { dataDir, at: before } = await sandboxOnDisk();
    await answered(await sendForged(before, LIST, { nonce: 'old' }), 200);
    await before.close();
    const after = await sandbox({ dataDir });
    await answered(await sendForged(after, LIST, { nonce: 'old' }), 200);
  });

  test('sent twenty times at once is let in once', async () => {
    const at = await sandbox();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => sendForged(at, LIST, { nonce: 'race' })),
    );
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    expect(responses.filter((response) => response.status === 401)).toHaveLength(19);
  });
});

describe('the path', () => {
  test.each([
    ['/api/partner/v1/x/../orders', '/api/partner/v1/orders'],
    ['/api/partner/v1/./orders', '/api/partner/v1/orders'],
    ['/api/partner/v1//orders', '/api/partner/v1/orders'],
    ['/api/partner/v1/%6Frders', '/api/partner/v1/orders'],
    ['/api/partner/v1/orders/', '/api/partner/v1/orders'],
    ['/api/partner/v1/ORDERS', '/api/partner/v1/orders'],
  ])('%s is signed as spelled, and is not %s', async (target, tidied) => {
    const request = { method: 'GET', target };
    const asSpelled = forge(shared.credential, request);
    expect(await rejection(await overWire(shared, asSpelled))).toMatchObject({ status: 404 });
    const asTidied = forge(shared.credential, request, { signed: { path: tidied } });
    expect(await rejection(await overWire(shared, asTidied))).toMatchObject({
      code: 'invalid_signature',
    });
  });

  test('with percent escapes names what it decodes to', async () => {
    const at = await sandbox();
    const target = '/api/partner/v1/domains/held%2Dorder%2Etest';
    await answered(await sendForged(at, { method: 'GET', target }), 200);
  });
});

describe('the query', () => {
  test.each([
    ['q=a+b', 'q=a%2Bb'],
    ['q=a%20b', 'q=a%20b'],
    ["q=it's!", 'q=it%27s%21'],
    ['q=(a)*', 'q=%28a%29%2A'],
    ['q=%7e~', 'q=~~'],
    ['q=caf%c3%a9', 'q=caf%C3%A9'],
    ['q=a=b', 'q=a%3Db'],
    ['q=a&flag', 'flag=&q=a'],
    ['q=a&flag=', 'flag=&q=a'],
    ['q=a&&', 'q=a'],
    ['q=a&Z=1&a=2', 'Z=1&a=2&q=a'],
    ['q=a&x=2&x=10', 'q=a&x=10&x=2'],
    ['q=a&%F0%9F%98%80=1&%EF%BF%BD=1', 'q=a&%EF%BF%BD=1&%F0%9F%98%80=1'],
  ])('%s is signed as %s', async (query, canonical) => {
    const request = { method: 'GET', target: `/api/partner/v1/domains/search?${query}` };
    const forged = forge(shared.credential, request, { signed: { query: canonical } });
    await answered(await overWire(shared, forged), 200);
  });

  test('with + is not signed as with a blank', async () => {
    const at = await sandbox();
    const request = { method: 'GET', target: '/api/partner/v1/domains/search?q=a+b' };
    const response = await sendForged(at, request, { signed: { query: 'q=a%20b' } });
    expect(await rejection(response)).toMatchObject({ code: 'invalid_signature' });
  });

  test.each(['q=%', 'q=%zz', 'q=%2', 'q=%e2%82', 'q=%ff', 'q=%c0%80', 'q=%ed%a0%80', '%=1'])(
    'a malformed %s is reported for any signature',
    async (query) => {
      const request = { method: 'GET', target: `/api/partner/v1/domains/search?${query}` };
      const forged = forge(shared.credential, request);
      const response = await rejection(await overWire(shared, forged));
      expect(response).toMatchObject({ status: 400, code: 'validation_error' });
      expect(response.message).toContain('percent escape');
    },
  );
});

describe('GET and HEAD', () => {
  test('sign the hash of an empty body, with any body', async () => {
    const at = await sandbox({ port: 0 });
    for (const method of ['GET', 'HEAD']) {
      const forged = forge(at.credential, { ...LIST, method });
      const response = await overWire(at, { ...forged, body: '{"limit": 3}' });
      expect(response.status).toBe(200);
    }
  });

  test('HEAD responds as GET does, without the body', async () => {
    const at = await sandbox({ port: 0 });
    const targets = [
      LIST.target,
      '/api/partner/v1/pricing?domain=held-order.test',
      '/api/partner/v1/pricing?domain=nowhere.test',
      '/api/partner/v1/pricing',
      '/api/partner/v1/nowhere',
    ];
    for (const target of targets) {
      const get = await overWire(at, forge(at.credential, { method: 'GET', target }));
      const length = get.headers.get('content-length');
      for (const head of [
        await at.call({ method: 'HEAD', target }),
        await overWire(at, forge(at.credential, { method: 'HEAD', target })),
      ]) {
        expect(head.status).toBe(get.status);
        expect(head.headers.get('content-type')).toBe('application/json');
        expect([null, length]).toContain(head.headers.get('content-length'));
        expect(await head.text()).toBe('');
      }
    }
  });

  test('HEAD is signed as HEAD', async () => {
    const at = await sandbox();
    const request = { ...LIST, method: 'HEAD' };
    expect((await sendForged(at, request)).status).toBe(200);
    expect((await sendForged(at, request, { signed: { method: 'GET' } })).status).toBe(401);
  });
});

describe('what does not exist', () => {
  test.each([
    ['GET', '/api/partner/v1/nowhere'],
    ['GET', '/api/partner/v1'],
    ['GET', '/api/partner/'],
    ['GET', '/api/partner'],
    ['GET', '/api/partner/v2/orders'],
    ['GET', '/api/partner/v1/domains'],
    ['GET', '/api/partner/v1/orders/a/b'],
    ['GET', '/api/partner/v1/webhooks'],
    ['GET', '/api/partner/webhooks'],
    ['DELETE', '/api/partner/v1/orders'],
    ['PUT', '/api/partner/v1/quotes'],
    ['PATCH', '/api/partner/v1/orders'],
    ['OPTIONS', '/api/partner/v1/orders'],
    ['HEAD', '/api/partner/v1/quotes'],
  ] as const)('%s %s is not found, once its sender is known', async (method, target) => {
    const unsigned = await shared.fetch(target, { method });
    expect(unsigned.status).toBe(401);
    const signed = await shared.call({ method, target });
    expect(signed.status).toBe(404);
    if (method !== 'HEAD') expect((await rejection(signed)).code).toBe('not_found');
  });
});
