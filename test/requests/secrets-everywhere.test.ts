import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import { createSandbox, type InProcessSandbox, type Key } from '../../src/index.ts';
import { commandLine } from '../cli/command-line.ts';
import { type ForgedRequest, type Forgery, forge } from '../support/forged-request.ts';
import { loggedIds } from '../support/request-log.ts';
import { stateFolder } from '../support/state-folder.ts';
import { overWire, type WireRequest } from '../support/wire.ts';

const ALL = { api: 'all' };

const PRICING = '/api/partner/v1/pricing';
const QUOTES = '/api/partner/v1/quotes';
const ORDERS = '/api/partner/v1/orders';
const WEBHOOKS = '/api/partner/webhooks';

const PINNED = 'p"a\\ss%w/rd+1!Zz';
const WEBHOOK = 'whsec_Own-Receiver~42';
const OTHER_PARTNER = 'hook:of/another=partner';
const OTHER_WORLD = 'secretOfAnotherWorld';

const json = (value: unknown) => JSON.stringify(value);
const bytes = (text: string, format: (hex: string) => string) =>
  [...Buffer.from(text)].map((byte) => format(byte.toString(16).padStart(2, '0'))).join('');

/** How a client may write a secret; test/requests/redact.test.ts has the others. */
const SPELLINGS: Record<string, (secret: string) => string> = {
  percent: (secret) => bytes(secret, (hex) => `%${hex}`),
  'base64 of credentials': (secret) => Buffer.from(`dmk_1:${secret}`).toString('base64'),
  'plain in JSON': (secret) => json(secret).slice(1, -1),
  'JSON escapes': (secret) => bytes(secret, (hex) => `\\u00${hex}`),
};
/** These can be a part of anything. */
const ANYWHERE = ['percent', 'base64 of credentials'];

interface Shop {
  at: InProcessSandbox;
  dataDir: string;
  /** What may not be told, and the ways in which each was written. */
  secrets: string[];
  pinned: Key;
  /** What was printed on standard error. */
  printed: string[];
}

async function shopWithSecrets(): Promise<Shop> {
  const dataDir = stateFolder();
  const at = await createSandbox({ dataDir, inventory: 20, rateLimits: false });
  onTestFinished(() => at.close());
  const printed: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  onTestFinished(() => {
    process.stderr.write = write;
  });
  const minted = await at.control.post<Key>('/credentials', { partner: 'other' });
  const pinned = { key_id: 'dmk_pinned', secret: PINNED };
  await at.control.post('/credentials', { ...pinned, partner: 'pinned' });
  await at.control.post('/worlds', { name: 'elsewhere' });
  const elsewhere = { key_id: 'dmk_elsewhere', secret: OTHER_WORLD };
  await at.control.in('elsewhere').post('/credentials', elsewhere);
  for (const [key, secret] of [
    [at.credential, WEBHOOK],
    [minted, OTHER_PARTNER],
  ] as const) {
    const body = { url: 'http://127.0.0.1:9/', secret };
    expect((await at.call({ method: 'PUT', target: WEBHOOKS, body }, key)).status).toBe(200);
  }
  const secrets = [minted.secret, PINNED, WEBHOOK, OTHER_PARTNER, OTHER_WORLD];
  return { at, dataDir, secrets, pinned, printed };
}

type Plant = (secret: string) => Partial<WireRequest> & { forgery?: Forgery };

const inHeader =
  (name: string): Plant =>
  (secret) => ({
    headers: { [name]: secret },
  });

/** Every place of a request. What is planted there is written so that it can be sent. */
const PLACES: Record<string, { plant: Plant; spellings: string[] }> = Object.fromEntries(
  Object.entries({
    'a path segment': (secret) => ({ target: `/api/partner/v1/domains/${secret}` }),
    'a path of nothing': (secret) => ({ target: `/api/partner/${secret}/x` }),
    'a query value': (secret) => ({ target: `${PRICING}?domain=a.com&x=${secret}` }),
    'a known query value': (secret) => ({ target: `${PRICING}?domain=${secret}` }),
    'a query key': (secret) => ({ target: `${PRICING}?domain=a.com&${secret}=1` }),
    'a lone query': (secret) => ({ target: `${PRICING}?${secret}` }),
    'a query named secret': (secret) => ({ target: `${PRICING}?client%5fsecret=${secret}` }),
    'the key id': (secret) => ({ headers: { 'X-Service-Key-Id': secret } }),
    'the timestamp': inHeader('X-Service-Timestamp'),
    'the nonce': (secret) => ({ forgery: { nonce: secret } }),
    'a wrong nonce': inHeader('X-Service-Nonce'),
    'the signature': inHeader('X-Service-Signature'),
    'the signature after v1=': (secret) => ({ headers: { 'X-Service-Signature': `v1=${secret}` } }),
    'the Idempotency-Key': (secret) => ({
      method: 'POST',
      target: ORDERS,
      body: '{"domain":"a.com"}',
      headers: { 'Idempotency-Key': secret },
    }),
    'the Content-Type': (secret) => ({
      method: 'POST',
      target: QUOTES,
      body: '{}',
      headers: { 'Content-Type': `text/${secret}` },
    }),
    Authorization: (secret) => ({ headers: { Authorization: `Bearer ${secret}` } }),
    'a Cookie': (secret) => ({ headers: { Cookie: `a=${secret}` } }),
    'the User-Agent': inHeader('User-Agent'),
    'a header of its own': inHeader('X-Api-Key'),
    'within a header': (secret) => ({ headers: { 'X-Note': `it is ${secret}, really` } }),
    'the Origin': (secret) => ({ headers: { Origin: `https://${secret}.example` } }),
    'the Host': (secret) => ({ headers: { Host: secret } }),
    'a call of the control API': (secret) => ({
      method: 'POST',
      target: `/_sandbox/orders/${secret}/advance?world=${secret}`,
      body: `{"note":"${secret}","${secret}":1}`,
    }),
    'a hosted page': (secret) => ({ target: `/checkout?pt=${secret}` }),
    'a referral link': (secret) => ({ target: `/l/${secret}?q=${secret}` }),
    'a form of a hosted page': (secret) => ({
      method: 'POST',
      target: '/checkout?pt=x',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `name=${secret}&email=a@b.co&${secret}=1`,
    }),
    'a form': (secret) => ({ method: 'POST', target: QUOTES, body: `a=b&domain=${secret}` }),
    'a form of the webhooks': (secret) => ({
      method: 'PUT',
      target: WEBHOOKS,
      body: `url=x&sec%72et=${secret}`,
    }),
    'a text': (secret) => ({ method: 'POST', target: QUOTES, body: `my key is ${secret}.` }),
    'a binary body': (secret) => ({
      method: 'POST',
      target: QUOTES,
      body: Buffer.concat([Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(`${secret}\0`)]),
    }),
    'a body in UTF-16': (secret) => ({
      method: 'POST',
      target: QUOTES,
      body: Buffer.from(`{"domain":"${secret}"}`, 'utf16le'),
    }),
    'the end of what is kept of a body': (secret) => ({
      method: 'POST',
      target: QUOTES,
      body: `${'x'.repeat(32 * 1024 - Math.ceil(secret.length * 0.9))}${secret}`,
    }),
  } satisfies Record<string, Plant>).map(([place, plant]) => [
    place,
    { plant, spellings: ANYWHERE },
  ]),
);

const inJson = ['plain in JSON', 'JSON escapes', 'base64 of credentials'];
for (const [place, bodyOf] of Object.entries({
  'a JSON member': (spelled) => `{"domain":"${spelled}"}`,
  'an unknown JSON member': (spelled) => `{"domain":"a.com","x":{"y":["${spelled}"]}}`,
  'a JSON name': (spelled) => `{"domain":"a.com","${spelled}":1}`,
  'a long JSON name': (spelled) => `{"domain":"a.com","${'n'.repeat(85)}${spelled}":1}`,
  'a JSON text': (spelled) => `"${spelled}"`,
  'broken JSON': (spelled) => `{"domain":"${spelled}"`,
  'broken escapes': (spelled) => `{"domain":"\\q${spelled}"}`,
  'JSON in JSON': (spelled) => json({ domain: `{"x":"${spelled}"}` }),
} satisfies Record<string, (spelled: string) => string>)) {
  const plant: Plant = (secret) => ({ method: 'POST', target: QUOTES, body: bodyOf(secret) });
  PLACES[place] = { plant, spellings: inJson };
}

/** A request with a right signature, one with a mistake in it, and one without any. */
function requestsOf(shop: Shop, plant: Plant, spelled: string): WireRequest[] {
  const { forgery, headers = {}, method = 'GET', target = PRICING, body } = plant(spelled);
  const request = { method, target, ...(body !== undefined && { body: body as string }) };
  const signed = (more: Forgery): WireRequest => {
    const forged: ForgedRequest = forge(shop.at.credential, request, { ...forgery, ...more });
    return { ...forged, headers: { ...forged.headers, ...headers } };
  };
  return [
    signed({ key: shop.pinned }),
    signed({ signed: { path: target } }),
    { ...request, headers },
  ];
}

/** All that tells something of requests. */
async function outputsOf({ at, dataDir, printed }: Shop, ids: string[]) {
  const outputs: [name: string, text: string][] = [];
  const run = commandLine(at);
  for (const line of ['requests list --json --limit 100', 'requests list', 'logs --limit 100']) {
    const { stdout, stderr } = await run(line);
    outputs.push([line, stdout + stderr]);
  }
  // They show what the file of the log holds: one of each place will do.
  for (const id of ids.filter((_, n) => n % 20 === 0)) {
    const page = `/dashboard/requests/${id}`;
    for (const route of [...['', '/markdown', '/curl'].map((as) => `/requests/${id}${as}`), page]) {
      outputs.push([route, await (await at.fetch(`/_sandbox${route}`)).text()]);
    }
  }
  for (const line of ['', ' --md', ' --curl', ' --json']) {
    const { stdout, stderr } = await run(`requests show ${ids[0]}${line}`);
    outputs.push([`requests show${line}`, stdout + stderr]);
  }
  const page = '/_sandbox/dashboard/requests';
  outputs.push([page, await (await at.fetch(page)).text()], ['standard error', printed.join('')]);
  for (const file of fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    const whole = path.join(dataDir, file);
    // The marketplace itself has to know its secrets.
    if (/^(?:worlds|snapshots)\b/.test(file) || !fs.statSync(whole).isFile()) continue;
    outputs.push([file, fs.readFileSync(whole, 'latin1')]);
  }
  return outputs;
}

/** A text as it is, and with its escapes undone. */
function readings(text: string): string[] {
  const entities: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" };
  const shown = text.replace(/&(quot|amp|lt|gt|#39);/g, (_, name: string) => entities[name] ?? '');
  const undo = (escaped: string) =>
    escaped
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`)))
      .replace(/\\u00([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`)))
      .replace(/\\(["\\/])/g, '$1')
      .replaceAll('\0', '');
  const levels = [shown];
  for (let undone = undo(shown); levels.length < 4 && undone !== levels.at(-1); ) {
    levels.push(undone);
    undone = undo(undone);
  }
  return levels.map((each) => each.toLowerCase());
}

/** Every spelling that the readings above leave as it is. */
function traces(secret: string): string[] {
  const core = (before: number) =>
    Buffer.from(`${' '.repeat(before)}${secret}`)
      .toString('base64')
      .replace(/=+$/, '')
      .slice(before === 0 ? 0 : 4, -2);
  const base64 = [0, 1, 2].map(core);
  const url = base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'));
  return [secret, Buffer.from(secret).toString('hex'), ...base64, ...url].map((each) =>
    each.toLowerCase(),
  );
}

function assertTellsNone(secrets: string[], outputs: [name: string, text: string][]): void {
  const forbidden = secrets.flatMap(traces);
  for (const [name, text] of outputs) {
    for (const reading of readings(text)) {
      for (const trace of forbidden) {
        const at = reading.indexOf(trace);
        if (at >= 0) {
          expect.fail(`${name} tells ${trace}: ${reading.slice(Math.max(0, at - 80), at + 120)}`);
        }
      }
    }
  }
}

/** Their requests fit a page of the list. */
const PLACES_AT_ONCE = 5;
const places = Object.entries(PLACES);
const groups = Array.from({ length: Math.ceil(places.length / PLACES_AT_ONCE) }, (_, n) =>
  places.slice(n * PLACES_AT_ONCE, (n + 1) * PLACES_AT_ONCE),
);

describe('a secret', () => {
  test.each(groups.map((group) => [group.map(([place]) => place).join(', in '), group] as const))(
    'in %s is in no output and no file',
    async (_title, group) => {
      const shop = await shopWithSecrets();
      const { at, secrets } = shop;
      const stream = await new ControlClient({ baseUrl: at.url, fetch }).download(
        '/requests/stream',
        ALL,
      );
      const streamed = new Response(stream).text();
      const responses: [string, string][] = [];
      let sent = 0;
      for (const [place, { plant, spellings }] of group) {
        for (const [s, secret] of secrets.entries()) {
          const names = secret === PINNED || s === 0 ? spellings : spellings.slice(0, 1);
          for (const [n, each] of names.entries()) {
            // The first spelling meets each kind of signature, the others meet them by turns.
            const requests = requestsOf(shop, plant, SPELLINGS[each]?.(secret) ?? secret);
            for (const request of n === 0
              ? requests
              : requests.filter((_, k) => k === (s + n) % 3)) {
              const response = await overWire(at, request);
              sent += 1;
              expect(response.status, place).toBeGreaterThanOrEqual(200);
              if (response.status >= 400)
                responses.push([`the response to ${each} in ${place}`, await response.text()]);
            }
          }
        }
      }
      const inOther = await at.control.in('elsewhere').get<{ requests: [] }>('/requests', ALL);
      const ids = await loggedIds(at, { api: 'all', limit: 100 });
      const outputs = await outputsOf(shop, ids);
      await at.close();
      outputs.push(['the stream', await streamed], ['another world', json(inOther)], ...responses);
      expect(ids.length).toBeGreaterThan(sent);
      assertTellsNone(secrets, outputs);
    },
  );
});
