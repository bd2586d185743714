import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Placeholders } from '../../src/redaction/placeholders.ts';
import { Redaction } from '../../src/redaction/redaction.ts';
import { TextSearch } from '../../src/redaction/search.ts';
import { growthOf, MAX_GROWTH } from '../support/growth.ts';
import { loggedIds } from '../support/request-log.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';

function redactionOf(...secrets: string[]): Redaction {
  const search = new TextSearch();
  search.add(secrets);
  return new Redaction(search, new Placeholders('key'));
}

const QUOTES = '/api/partner/v1/quotes';
const WEBHOOKS = '/api/partner/webhooks';
const body = (redaction: Redaction, text: string, target = QUOTES) => redaction.body(text, target);

/** Every character spelled as itself or as an escape. */
const spelled = (secret: string) =>
  fc
    .array(fc.integer({ min: 0, max: 4 }), { minLength: secret.length, maxLength: secret.length })
    .map((choices) =>
      [...secret]
        .map((char, at) => {
          const hex = char.charCodeAt(0).toString(16).padStart(2, '0');
          const all = [char, `%${hex}`, `%${hex.toUpperCase()}`, `\\u00${hex}`, `%25${hex}`];
          return all[choices[at] ?? 0];
        })
        .join(''),
    );

const secret = fc.string({
  unit: fc.constantFrom(...'abcdefgXYZ0123456789!~+/=_-.:*()[]'),
  minLength: 8,
  maxLength: 60,
});

describe('redacted text', () => {
  const RUNS = [
    '\\',
    '\\\\u',
    'secret ',
    'secret=',
    '"secret":',
    'dms_sandbox_',
    'dms_live_',
    '%25',
    '"',
  ];

  for (const pattern of RUNS) {
    test(`takes linear time if ${JSON.stringify(pattern)} is repeated in it`, () => {
      const redaction = redactionOf('pinned-secret-01234');
      const growth = growthOf((size) => {
        const text = pattern.repeat(size / pattern.length);
        redaction.target(`${QUOTES}?${text}`);
        redaction.headers(['a', text]);
        for (const target of [QUOTES, WEBHOOKS]) body(redaction, text, target);
        body(redaction, `{"pinned-secret-01234${text}`);
      }, 2_000);
      expect(growth).toBeLessThan(MAX_GROWTH);
    });
  }

  test('takes linear time if a known secret that looks like a minted one is repeated in it', () => {
    const known = 'dms_sandbox_known_to_be_secret';
    const search = new TextSearch();
    search.add([known]);
    const growth = growthOf((size) => search.find(known.repeat(size / known.length)), 16_000);
    expect(growth).toBeLessThan(MAX_GROWTH);
  });

  test('has nothing of a secret, however each character of it is spelled', () => {
    const cases = secret.chain((one) =>
      fc.tuple(fc.constant(one), spelled(one), fc.string(), fc.string()),
    );
    fc.assert(
      fc.property(cases, ([known, written, before, after]) => {
        const text = `${before} ${written} ${after}`;
        const redacted = redactionOf(known).text(text);
        expect(redacted.replaceAll(/\/|%(?:25)?2f/gi, '')).toMatch(/redacted|\*{8}/);
        expect(redacted).not.toContain(written);
      }),
    );
  });

  test('has nothing of a secret within base64 of more', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (known, before, after) => {
        const whole = Buffer.from(before + known + after);
        for (const encoding of ['base64', 'base64url'] as const) {
          const redacted = redactionOf(known).text(whole.toString(encoding));
          expect(Buffer.from(redacted, encoding).toString()).not.toContain(known);
        }
      }),
    );
  });

  test('is equal for equal secrets, differs for others, and reveals neither', () => {
    const redaction = redactionOf('first-secret', 'other-secret');
    const [one, again, escaped, other] = redaction
      .text('first-secret FIRST-SECRET first%2dsecret other-secret')
      .split(' ');
    expect(one).toMatch(/^redacted\w{4}$/);
    expect([again, escaped]).toEqual([one, one]);
    expect(other).not.toBe(one);
    const search = new TextSearch();
    search.add(['first-secret']);
    expect(new Redaction(search, new Placeholders('another key')).text('first-secret')).not.toBe(
      one,
    );
  });

  test('leaves every other byte', () => {
    const redaction = redactionOf('first-secret');
    const json = '{ "secret" : "whsec_1234567" ,\n"b":[1.50, "first\\u002dsecret",null], "b":2}';
    const kept = body(redaction, json);
    expect(kept).toMatch(
      /^{ "secret" : "redacted\w{5}" ,\n"b":\[1\.50, "redacted\w{4}",null\], "b":2}$/,
    );
    const form = 'url=http%3A%2F%2Fa.co&client_secret=whsec_1234567&a+b=c%20d&&x';
    expect(body(redaction, form, '/checkout?pt=x')).toMatch(
      /^url=http%3A%2F%2Fa\.co&client_secret=redacted\w{5}&a\+b=c%20d&&x$/,
    );
    expect(redaction.target('/a?x=1&secre%74=whsec_1234567&b=+%41')).toMatch(
      /^\/a\?x=1&secre%74=redacted\w{5}&b=\+%41$/,
    );
    for (const plain of [
      '{"a":"b","c":[{}]}',
      '{broken',
      'a=b',
      'text',
      '"\\u0041"',
      '%zz%',
      '\\',
    ]) {
      expect(body(redaction, plain)).toBe(plain);
    }
  });

  test('redacts fields that are named secret, with any value', () => {
    const redaction = redactionOf();
    for (const [text, kept] of [
      ['{"secret":12345,"a":12}', '{"secret":11111,"a":12}'],
      [
        '{"a":1,"Client-Secret":["one",{"two":"x"},-3.5]}',
        /^{"a":1,"Client-Secret":\["\*{3}",{"two":"\*"},-1\.1\]}$/,
      ],
      ['{"s\\u0065cret":"abc","b":"abc"}', '{"s\\u0065cret":"***","b":"abc"}'],
      ['{"secret":{"a":"b"},"c":"d"}', '{"secret":{"a":"*"},"c":"d"}'],
      ['{"secret":null,"c":"d"}', '{"secret":null,"c":"d"}'],
      ['{"secret":"a\\"b","c":"d"}', '{"secret":"***","c":"d"}'],
      ['{"x":"{\\"secret\\":\\"whsec\\"}"}', '{"x":"{\\"secret\\":\\"*****\\"}"}'],
      ['{"secret":"one","secret":"two"}', '{"secret":"***","secret":"***"}'],
    ] as const) {
      const redacted = body(redaction, text);
      if (typeof kept === 'string') expect(redacted).toBe(kept);
      else expect(redacted).toMatch(kept);
    }
    expect(body(redaction, '["whsec_1",42]', WEBHOOKS)).toBe('["*******",11]');
    expect(body(redaction, '"my-own-secret"', WEBHOOKS)).toMatch(/^"redacted\w{5}"$/);
    expect(redaction.headers(['X-Service-Secret', 'abc'])).toEqual(['X-Service-Secret', '***']);
  });

  test('of a short secret is found where it is a whole value', () => {
    const redaction = redactionOf('shh');
    expect(redaction.text('/a/shh?x=shh&shh=1&y=shhh')).toBe('/a/***?x=***&shh=1&y=shhh');
    expect(redaction.text('{"shh":"shh","a":"shhh"}')).toBe('{"shh":"***","a":"shhh"}');
    expect(redaction.headers(['X-A', 'shh'])).toEqual(['X-A', '***']);
  });

  test('leaves out a body that cannot be parsed and may hold a secret', () => {
    const redaction = redactionOf('first-secret');
    for (const text of [
      "{'secret':'whsec_1'",
      'my secret: whsec_1',
      '{"a":"first-secret"',
      'sec%72et=x',
    ]) {
      expect(body(redaction, text), text).toBeUndefined();
    }
    for (const text of ['whsec_1', 'url=x&s=whsec_1', '{"key":"whsec_1"']) {
      expect(body(redaction, text, WEBHOOKS), text).toBeUndefined();
    }
    const csv = 'domain,price_cents\nsecret-garden.com,100\nfirst-secret.com,1\n';
    expect(body(redaction, csv, '/_sandbox/inventory/import')).toMatch(
      /\nsecret-garden\.com,100\nredacted\w{4}\.com,1\n$/,
    );
  });

  test('with special characters is found in each plain spelling', () => {
    for (const secret of [
      'wh"one\\sec/+=&%42<>~',
      'pin\\ned%41secret_01234',
      'pin"ned%41secret_012345',
      'back\\\\slashes\\u0041\\"end',
    ]) {
      const redaction = redactionOf(secret);
      const [twice] = JSON.stringify(JSON.stringify(secret)).split('\n');
      for (const text of [
        secret,
        JSON.stringify(secret),
        twice ?? '',
        encodeURIComponent(secret),
        encodeURIComponent(JSON.stringify(secret)),
        JSON.stringify(encodeURIComponent(secret)),
        Buffer.from(secret).toString('base64'),
        Buffer.from(`: ${secret}`).toString('base64url'),
      ]) {
        expect(redaction.text(`a=${text}&b`), text).toMatch(/^a=\W*\w{0,4}redacted[\w/%]*\W*&b$/);
      }
    }
  });
});

test('searching takes no longer for ten thousand secrets than for ten', () => {
  const text = JSON.stringify({ some: 'text '.repeat(1_000), more: '%41'.repeat(500) });
  // The shortest of some runs: a busy machine lengthens any of them.
  const shortest = (count: number) => {
    const search = new TextSearch();
    search.add(Array.from({ length: count }, (_, n) => `dms_pinned_${n}_${'x'.repeat(20)}${n}`));
    const times = Array.from({ length: 10 }, () => {
      const begun = performance.now();
      for (let n = 0; n < 5; n += 1) search.find(text);
      return performance.now() - begun;
    });
    return Math.min(...times);
  };
  expect(shortest(10_000)).toBeLessThan(shortest(10) * 10 + 10);
});

test('a secret in an error message is redacted for the client too', async () => {
  const at = await sandbox();
  const { secret: own } = at.credential;
  for (const path of [
    `/_sandbox/credentials/${own}`,
    `/_sandbox/requests/${encodeURIComponent(own)}`,
    `/_sandbox/status?world=${own}`,
    `/_sandbox/${own}`,
    `/${own}`,
  ]) {
    const { message } = await rejection(await at.fetch(path));
    expect(message).toContain('[redacted]');
    expect(message).not.toContain(own);
  }
  const page = await at.fetch(`/_sandbox/dashboard/${own}`);
  expect(await page.text()).not.toContain(own);
});

test('a secret that was replaced or revoked stays redacted', async () => {
  const at = await sandbox();
  const put = (secret: string) =>
    at.call({ method: 'PUT', target: WEBHOOKS, body: { url: 'http://127.0.0.1:9/', secret } });
  const key = { key_id: 'dmk_pinned', secret: 'pinned:secret:one' };
  await at.control.post('/credentials', key);
  await put('the-first-receiver');
  await at.control.get('/requests');
  await at.control.delete('/credentials/dmk_pinned');
  await put('the-second-receiver');
  for (const each of [key.secret, 'the-first-receiver', 'the-second-receiver']) {
    await at.call({ method: 'GET', target: `/api/partner/v1/orders?x=${each}` });
  }
  const { requests } = await at.control.get<{ requests: object[] }>('/requests', {
    api: 'all',
  });
  expect(JSON.stringify(requests)).not.toMatch(/pinned:secret|-receiver/);
});

test('a log of another version starts over, and its file keeps nothing of it', async () => {
  const dataDir = stateFolder();
  const file = path.join(dataDir, 'requests/default.db');
  fs.mkdirSync(path.dirname(file));
  const old = new Database(file);
  old.exec("CREATE TABLE requests (seq, target); INSERT INTO requests VALUES (1, 'whsec_of_old')");
  old.pragma('user_version = 1');
  old.close();
  const at = await sandbox({ dataDir });
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  expect(await loggedIds(at, { api: 'all' })).toHaveLength(1);
  await at.close();
  for (const each of fs.readdirSync(path.dirname(file))) {
    const bytes = fs.readFileSync(path.join(path.dirname(file), each), 'latin1');
    expect(bytes).not.toContain('whsec_of_old');
  }
});
