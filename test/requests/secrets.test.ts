import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSandbox, type InProcessSandbox, type Key } from '../../src/index.ts';
import { KnownTexts, redactBody, redactHeaders, redactTarget } from '../../src/redaction/redact.ts';
import { MAX_KEPT_CHARACTERS, shownAttempt } from '../../src/webhooks/send.ts';
import { commandLine } from '../cli/command-line.ts';
import { forge } from '../support/forged-request.ts';
import { growthOf, MAX_GROWTH } from '../support/growth.ts';
import { mintIn } from '../support/orders.ts';
import { loggedIds, newestLogged } from '../support/request-log.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { overWire, type WireRequest } from '../support/wire.ts';

const PRICING = '/api/partner/v1/pricing';
const QUOTES = '/api/partner/v1/quotes';
const ORDERS = '/api/partner/v1/orders';
const WEBHOOKS = '/api/partner/webhooks';
const URL_OF_NOBODY = 'http://127.0.0.1:9/';

type Plant = (spelled: string) => Partial<WireRequest> & { nonce?: string };

const header =
  (name: string, before = ''): Plant =>
  (spelled) => ({ headers: { [name]: before + spelled } });
const target =
  (before: string, after = ''): Plant =>
  (spelled) => ({ target: before + spelled + after });
const body =
  (before: string, after = '', request: Partial<WireRequest> = {}): Plant =>
  (spelled) => ({ method: 'POST', target: QUOTES, ...request, body: before + spelled + after });

/** Ways to write a secret. */
const plain = (secret: string) => secret;
const inJson = (secret: string) => JSON.stringify(secret).slice(1, -1);
const lowerCase = (secret: string) =>
  encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase());
const IN_URLS = [encodeURIComponent, lowerCase];
const FORM = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };

/** Every place of a request, and how a secret is written there. */
const PLACES: [place: string, plant: Plant, spellings: ((secret: string) => string)[]][] = [
  ['a path segment', target('/api/partner/v1/domains/'), IN_URLS],
  ['a path of nothing', target('/api/partner/', '/x'), IN_URLS],
  ['a query value', target(`${PRICING}?domain=a.com&x=`), IN_URLS],
  ['a known query value', target(`${PRICING}?domain=`), IN_URLS],
  ['a query key', target(`${PRICING}?domain=a.com&`, '=1'), IN_URLS],
  ['a lone query', target(`${PRICING}?`), IN_URLS],
  ['the key id', header('X-Service-Key-Id'), [plain]],
  ['the timestamp', header('X-Service-Timestamp'), [plain]],
  ['the nonce', (nonce) => ({ nonce }), [plain]],
  ['a wrong nonce', header('X-Service-Nonce'), [plain]],
  ['the signature', header('X-Service-Signature'), [plain]],
  ['the signature after v1=', header('X-Service-Signature', 'v1='), [plain]],
  ['the Idempotency-Key', header('Idempotency-Key'), [plain]],
  ['the Content-Type', header('Content-Type', 'text/'), [plain]],
  ['Authorization', header('Authorization', 'Bearer '), [plain]],
  ['a Cookie', header('Cookie', 'a='), [plain]],
  ['the User-Agent', header('User-Agent'), [plain]],
  ['a header of its own', header('X-Api-Key'), [plain]],
  ['the Host', header('Host'), [plain]],
  ['a call of the control API', target('/_sandbox/orders/', '/advance'), IN_URLS],
  ['a hosted page', target('/checkout?pt='), IN_URLS],
  ['a referral link', target('/l/', '?q=1'), IN_URLS],
  ['a form of a page', body('name=', '&a=1', { ...FORM, target: '/checkout?pt=x' }), IN_URLS],
  ['a form', body('a=b&domain='), IN_URLS],
  ['a text', body('my key is ', '.'), [plain]],
  ['a JSON member', body('{"domain":"', '"}'), [inJson]],
  ['a JSON name', body('{"domain":"a.com","', '":1}'), [inJson]],
  ['broken JSON', body('{"domain":"', '"'), [inJson]],
  [
    'a binary body',
    (spelled) => ({
      ...body('')(''),
      body: Buffer.concat([Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(spelled)]),
    }),
    [plain],
  ],
];

/** Minted, pinned with characters that are escaped in texts, of a webhook, and minted in another world. */
interface Shop {
  at: InProcessSandbox;
  dataDir: string;
  minted: Key;
  secrets: string[];
}

const PINNED = 'p"a\\ss%w/rd+1!Zz';
const WEBHOOK = 'whsec_Own-Receiver~42';

async function shopWithSecrets(): Promise<Shop> {
  const dataDir = stateFolder();
  const at = await createSandbox({ dataDir, inventory: 5, rateLimits: false });
  onTestFinished(() => at.close());
  const minted = await at.control.post<Key>('/credentials', { partner: 'other' });
  await at.control.post('/credentials', { key_id: 'dmk_pinned', secret: PINNED });
  await at.control.put('/webhooks', { url: URL_OF_NOBODY, secret: WEBHOOK });
  const elsewhere = await mintIn(at, 'other');
  return { at, dataDir, minted, secrets: [minted.secret, PINNED, WEBHOOK, elsewhere.secret] };
}

/** Everything that shows requests. */
async function outputsOf({ at, dataDir }: Shop): Promise<[name: string, text: string][]> {
  const outputs: [name: string, text: string][] = [];
  const [id] = await loggedIds(at, { api: 'all' });
  const run = commandLine(at);
  for (const line of ['requests list --json --limit 100', 'logs', `requests show ${id}`]) {
    const { stdout, stderr } = await run(line);
    outputs.push([line, stdout + stderr]);
  }
  const page = `/_sandbox/dashboard/requests/${id}`;
  outputs.push([page, await (await at.fetch(page)).text()]);
  await at.close();
  for (const file of fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    const whole = path.join(dataDir, file);
    // The worlds themselves have to know their secrets.
    if (/^(?:worlds|snapshots)\b/.test(file) || !fs.statSync(whole).isFile()) continue;
    outputs.push([file, fs.readFileSync(whole, 'latin1')]);
  }
  return outputs;
}

test('a registered secret is in no output and no file, wherever a request has it', async () => {
  const shop = await shopWithSecrets();
  const { at, minted, secrets } = shop;
  const forbidden = new Set<string>();
  for (const [place, plant, spellings] of PLACES) {
    for (const [n, secret] of secrets.entries()) {
      for (const spelling of spellings) {
        const spelled = spelling(secret);
        forbidden.add(spelled).add(inJson(spelled));
        const { nonce, headers = {}, method = 'GET', target = PRICING, body } = plant(spelled);
        const request = { method, target, ...(body !== undefined && { body: body as string }) };
        const signed = forge(minted, request, nonce === undefined ? {} : { nonce });
        // One in three is not signed.
        const own = n === 2 ? headers : { ...signed.headers, ...headers };
        const response = await overWire(at, { ...request, headers: own });
        expect(response.status, place).toBeGreaterThanOrEqual(200);
      }
    }
  }
  for (const [name, text] of await outputsOf(shop)) {
    for (const spelled of forbidden) {
      const found = text.indexOf(spelled);
      if (found >= 0) expect.fail(`${name}: ${text.slice(found - 80, found + 80)}`);
    }
  }
}, 60_000);

test('a body that is cut keeps no part of a secret, whatever is redacted before', async () => {
  const at = await sandbox();
  const { secret } = at.credential;
  const log = { redact: (text: string) => text.replaceAll(secret, '[redacted]') };
  for (let pad = 0; pad <= secret.length; pad += 10) {
    const body = `${'x'.repeat(pad)}${`${secret} `.repeat(2_200)}`;
    for (const target of [QUOTES, '/_sandbox/inventory/import?format=csv']) {
      await at.fetch(target, { method: 'POST', body });
      const { request } = await newestLogged(at, { api: 'all' });
      expect(request.body).not.toContain(secret.slice(0, 3));
    }
    const { response } = shownAttempt({ response: body.slice(0, MAX_KEPT_CHARACTERS) }, log);
    expect(response).not.toContain(secret.slice(0, 3));
  }
});

describe('fields and headers that hold secrets are redacted whatever their value is', () => {
  const none = new KnownTexts([]);

  test.each([
    ['{"secret":"keyboard","a":"keyboard"}', '{"secret":"[redacted]","a":"keyboard"}'],
    ['{ "b": [1.50, {"client_secret": "abc"}]}', '{"b":[1.5,{"client_secret":"[redacted]"}]}'],
    ['{"s\\u0065cret":"abc"}', '{"secret":"[redacted]"}'],
    ['{"secret":12345}', '{"secret":0}'],
    ['{"secret":{"a":"b"},"c":1}', '{"secret":{},"c":1}'],
    ['{"secret":"not ascii é"}', '{"secret":"*** ***** é"}'],
    ['{"secret":"cut', '{"secret":[redacted]'],
    ['url=x&client_secret=abc&b=c', 'url=x&client_secret=[redacted]&b=c'],
    ["{'secret': 'a b', 'c': 1}", "{'secret': [redacted], 'c': 1}"],
    ['{ "a" : 1.50 ,\n"secrets" : true }', '{"a":1.5,"secrets":true}'],
    ['{ "domain" : "secret-garden.com" }', '{ "domain" : "secret-garden.com" }'],
    ['my secret garden', 'my secret garden'],
  ])('body %j', (text, redacted) => {
    expect(redactBody(text, QUOTES, none)).toBe(redacted);
  });

  test.each([
    ['X-Service-Signature', `v1=${'0a'.repeat(32)}`, 'v1=0a0a0a0a… [redacted]'],
    ['Authorization', 'Bearer x', '[redacted]'],
    ['Cookie', 'a=b; sandlot_click_default=x', 'sandlot_click_default=x'],
    ['Cookie', 'a=b', '[redacted]'],
    ['X-Client-Secret', 'x', '[redacted]'],
    ['X-Note', 'keyboard', 'keyboard'],
  ])('header %s: %s', (name, value, redacted) => {
    expect(redactHeaders([[name, value]], none)).toEqual([[name, redacted]]);
  });

  test('a query and the card of a checkout form', () => {
    expect(redactTarget('/a?x=1&client%5fs%65cret=abc&b=+%41', none)).toBe(
      '/a?x=1&client%5fs%65cret=[redacted]&b=+%41',
    );
    const card = 'name=A+B&card_number=4111-1111-1111-1111&cvc=123';
    const redacted = 'name=A+B&card_number=0000-0000-0000-0000&cvc=000';
    for (const path of ['/checkout', '/%63heckout', '/x/../checkout']) {
      expect(redactBody(card, `${path}?pt=x`, none)).toBe(redacted);
      expect(redactTarget(`${path}?${card}`, none)).toBe(`${path}?${redacted}`);
    }
    const invalid = redactBody('card_number=4111+1111+1111+1112', '/checkout?pt=x', none);
    expect(invalid).toBe('card_number=1111+1111+1111+1111');
    expect(redactBody('{"a":{"cardNumber":4111}}', '/a', none)).toBe('{"a":{"cardNumber":0}}');
    const testCard = 'card_number=4242+4242+4242+4242&cvc=000';
    expect(redactBody(testCard, '/checkout?pt=x', none)).toBe(testCard);
  });
});

describe('a known secret', () => {
  test('is found next to others and within them, and is not left whole where it overlaps one', () => {
    const secrets = new KnownTexts([
      'secret-of-20-cha',
      'a-secret-of-20-chars',
      'of-20-chars-and-more',
      'x'.repeat(20),
    ]);
    expect(secrets.redact('a-secret-of-20-chars')).toBe('[redacted]');
    expect(secrets.redact('"a-secret-of-20-chars-and-more"')).toBe('"[redacted]-and-more"');
    expect(secrets.redact(`y${'x'.repeat(40)}`)).toBe('y[redacted][redacted]');
    expect(secrets.redact('a-secret-of-20-char')).toBe('a-[redacted]r');
    expect(secrets.redact('A-SECRET-OF-20-CHARS')).toBe('A-SECRET-OF-20-CHARS');
  });

  test('is found as encoders of other languages spell it', () => {
    const secrets = new KnownTexts(['pa/ss+wo<rd~é*x!y', 'pa"ss\\u1a2b+word']);
    for (const spelled of [
      'pa\\/ss+wo<rd~\\u00e9*x!y',
      'pa/ss\\u002Bwo\\u003Crd~\\u00E9*x!y',
      'pa/ss+wo\\u003crd~é*x!y',
      'pa\\u0022ss\\\\u1a2b\\u002Bword',
      new URLSearchParams('=pa/ss%2Bwo<rd~é*x!y').toString().slice(1),
    ]) {
      expect(secrets.redact(spelled)).toBe('[redacted]');
    }
  });

  test.each(['\\', 'secret ', 'secret=', '"secret":', '%25', '"', 'a-secret-of-20-chars'])(
    'takes linear time to look for in repeated %j',
    (pattern) => {
      const secrets = new KnownTexts(['a-secret-of-20-chars']);
      const growth = growthOf((size) => {
        const text = pattern.repeat(size / pattern.length);
        redactTarget(`${QUOTES}?${text}`, secrets);
        redactHeaders([['a', text]], secrets);
        redactBody(text, QUOTES, secrets);
        redactBody(`{"${text}`, QUOTES, secrets);
      }, 2_000);
      expect(growth).toBeLessThan(MAX_GROWTH);
    },
  );
});

describe('a webhook secret', () => {
  test.each(['not_found', 'quotes_of_the_error_message'])(
    '%j changes no response, in its world or another',
    async (secret) => {
      const at = await sandbox();
      const key = await mintIn(at, 'other');
      const registration = { url: URL_OF_NOBODY, secret };
      await at.call({ method: 'PUT', target: WEBHOOKS, body: registration });
      for (const each of [at.credential, key]) {
        const target = `/api/partner/v1/${secret}`;
        const error = await rejection(await at.call({ method: 'GET', target }, each));
        expect(error).toMatchObject({
          code: 'not_found',
          message: expect.stringContaining(target),
        });
      }
    },
  );

  test('of fewer than 16 characters, or unregistered, stays in the log; that of another world does not', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'other' });
    const secrets = {
      short: 'keyboard',
      unregistered: 'earlier-webhook-secret',
      registered: 'registered-webhook-secret',
      elsewhere: 'webhook-secret-of-another-world',
    };
    const register = (secret: string, control = at.control) =>
      control.put('/webhooks', { url: URL_OF_NOBODY, secret });
    await register(secrets.elsewhere, at.control.in('other'));
    await register(secrets.short);
    await register(secrets.unregistered);
    const body = { url: URL_OF_NOBODY, secret: 'the-next-webhook-secret' };
    const byPartner = () => at.call({ method: 'PUT', target: WEBHOOKS, body });
    for (const replace of [() => register(body.secret), byPartner]) {
      await register(secrets.registered);
      await at.call({ method: 'GET', target: `${ORDERS}?${new URLSearchParams(secrets)}` });
      // What was registered at the time of the request counts.
      await replace();
      const { target } = await newestLogged(at, { where: 'method:GET' });
      const logged = new URLSearchParams({ ...secrets, registered: 'R', elsewhere: 'R' });
      expect(target).toBe(`${ORDERS}?${logged}`.replaceAll('=R', '=[redacted]'));
    }
  });
});
