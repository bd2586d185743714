import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_CREDENTIAL } from '../../../src/market/defaults.ts';
import { linesOfRepro } from '../../../src/tools/repro/read-repro.ts';
import { scanLines } from '../../../src/tools/repro/scan.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { type RecordedSandbox, recordedSandbox } from './recorded-sandbox.ts';
import { exportWhole, type RecordedSoFar } from './whole-export.ts';

/** The specification asks for 500. */
const EXPORTS = Number(process.env.SANDLOT_TEST_PLANTED ?? 2);
const PLANTS = 12;
const P = '/api/partner/v1';

/** A text, and what it may hold in another spelling. */
interface Plant {
  place: string;
  value: string;
  text: string;
}

type Send = (at: RecordedSandbox, text: string) => Promise<unknown>;

const partner = (
  at: RecordedSandbox,
  method: string,
  target: string,
  body?: unknown,
  headers = {},
) =>
  at.call({
    method,
    target: target.startsWith('/') ? target : `${P}/${target}`,
    ...(body !== undefined && { body: body as object }),
    headers,
  });
const control = (
  at: RecordedSandbox,
  method: string,
  target: string,
  body?: unknown,
  headers = {},
) =>
  at.fetch(`/_sandbox/${target}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
/** As a client may write it into a URL. */
const inUrl = (text: string) => text.replace(/[^!-~]|[#?&"<>\\^`{|}]/g, encodeURIComponent);
/** As a client may write it into a header. */
const inHeader = (text: string) => text.replace(/[^ -~]/g, '');

const order = (fields: object) => ({
  domain: 'auto-complete.test',
  expected_price: 199_900,
  currency: 'USD',
  buyer: { email: 'someone@shop.example' },
  ...fields,
});
const ordered =
  (fields: (text: string) => object): Send =>
  (at, text) =>
    partner(at, 'POST', 'orders', order(fields(text)), { 'Idempotency-Key': `k-${text.length}` });

/** Every kind of place in which a client can send text. */
const PLACES: Readonly<Record<string, Send>> = {
  'a header': (at, text) => partner(at, 'GET', 'orders', undefined, { 'X-Any': inHeader(text) }),
  'the name of a header': (at, text) =>
    partner(at, 'GET', 'orders', undefined, { [text.replace(/[^A-Za-z0-9-]/g, '-')]: 'x' }),
  'the user agent': (at, text) =>
    partner(at, 'GET', 'orders', undefined, { 'User-Agent': inHeader(text) }),
  'a cookie': (at, text) =>
    at.fetch('/checkout?pt=x', { headers: { Cookie: `a=${inHeader(text)}` } }),
  authorization: (at, text) =>
    control(at, 'POST', 'clock/freeze', {}, { Authorization: `Bearer ${inHeader(text)}` }),
  'a key id': (at, text) =>
    at.fetch(`${P}/orders`, { headers: { 'X-Service-Key-Id': inHeader(text) } }),
  'a nonce': (at, text) =>
    partner(at, 'GET', 'orders', undefined, { 'X-Service-Nonce': inHeader(text) }),
  'a timestamp': (at, text) =>
    partner(at, 'GET', 'orders', undefined, { 'X-Service-Timestamp': inHeader(text) }),
  'a signature': (at, text) =>
    partner(at, 'GET', 'orders', undefined, { 'X-Service-Signature': `v1=${inHeader(text)}` }),
  'an idempotency key': (at, text) =>
    partner(at, 'POST', 'orders', order({}), { 'Idempotency-Key': inHeader(text) }),
  'a content type': (at, text) =>
    partner(at, 'POST', 'quotes', {}, { 'Content-Type': inHeader(text) }),
  'a query': (at, text) => partner(at, 'GET', `orders?status=${inUrl(text)}`),
  'the name of a parameter': (at, text) => partner(at, 'GET', `orders?${inUrl(text)}=1`),
  'a cursor': (at, text) => partner(at, 'GET', `orders?cursor=${inUrl(text)}`),
  'a path': (at, text) => partner(at, 'GET', `orders/${inUrl(text)}`),
  'an unknown path': (at, text) => partner(at, 'GET', `/api/partner/${inUrl(text)}`),
  'a domain': (at, text) => partner(at, 'POST', 'quotes', { domain: text }),
  'a buyer': ordered((text) => ({ buyer: { email: text, name: text, country: text } })),
  'the name of a buyer': ordered((text) => ({ buyer: { email: 'a@shop.example', name: text } })),
  'a reference': ordered((text) => ({ external_payment_ref: text })),
  'a return URL': ordered((text) => ({ return_url: `https://shop.example/?a=${inUrl(text)}` })),
  'an unknown field': ordered((text) => ({ [text]: text, nested: [{ deep: text }] })),
  'a reason': (at, text) => partner(at, 'POST', 'refunds', { public_id: text, reason: text }),
  'a label': (at, text) =>
    partner(at, 'POST', 'links', { kind: 'generic', product: 'x', label: text }),
  'a case': (at, text) =>
    partner(at, 'POST', 'brokerage', {
      domain: 'wanted.com',
      tier: 'managed',
      buyer_email: text,
      budget_cents: 100_000,
    }),
  'a broken body': (at, text) =>
    partner(at, 'POST', 'orders', `{"buyer":{"email":"${text}","name":"x`),
  'a body of text': (at, text) => partner(at, 'POST', 'quotes', text),
  'a binary body': (at, text) =>
    at.fetch('/_sandbox/faults', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text)]),
    }),
  'a form': (at, text) => partner(at, 'POST', 'quotes', `note=${encodeURIComponent(text)}&b=c`),
  'a registration': (at, text) => partner(at, 'PUT', '/api/partner/webhooks', JSON.stringify(text)),
  'the URL of a webhook': (at, text) =>
    control(at, 'PUT', 'webhooks', {
      url: `https://shop.example/${inUrl(text)}`,
      secret: 'whsec_of_the_shop',
    }),
  'a control path': (at, text) => control(at, 'POST', `orders/${inUrl(text)}/advance`, {}),
  'an unknown control path': (at, text) => control(at, 'POST', inUrl(text), {}),
  'the name of a partner': (at, text) => control(at, 'POST', 'credentials', { partner: text }),
  'the name of a snapshot': (at, text) => control(at, 'POST', 'snapshots', { name: text }),
  'a fault': (at, text) =>
    control(at, 'POST', 'faults', { effect: { status: 500 }, match: { key_id: text } }),
  'a wait': (at, text) =>
    control(at, 'POST', 'clock/until', { order: text, state: 'SETTLED', within: '1s' }),
  'an import': (at, text) =>
    control(at, 'POST', 'inventory/import', `domain,price_cents\n${text},100\n`, {
      'Content-Type': 'text/csv',
    }),
  'a fired webhook': (at, text) =>
    control(at, 'POST', 'webhooks/fire', {
      type: 'order.recorded',
      url: 'http://127.0.0.1:9/',
      secret: 'whsec_fired_once',
      data: { note: text },
    }),
  'a checkout': (at, text) =>
    at.fetch('/checkout?pt=x', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ action: 'pay', email: text, name: text, note: text }).toString(),
    }),
  'a receiver': (at, text) =>
    control(at, 'POST', 'webhooks/fire', {
      type: 'order.recorded',
      url: `http://127.0.0.1:9/?${inUrl(text)}`,
      secret: 'whsec_fired_once',
    }),
  'the response of a receiver': (at, text) => {
    receiverSays = text;
    return control(at, 'POST', 'webhooks/fire', {
      type: 'order.recorded',
      url: 'http://127.0.0.1:9/',
      secret: 'whsec_fired_once',
    });
  },
};
let receiverSays = '';

type Spelling = (value: string) => string;

/** Ways in which a client may spell a value. */
const SPELLINGS: readonly Spelling[] = [
  (value) => value,
  (value) => encodeURIComponent(value),
  (value) => encodeURIComponent(encodeURIComponent(`${value}&`)),
  (value) => JSON.stringify({ note: value }),
  (value) => value.replace(/[a-z]/g, (char) => `%${char.charCodeAt(0).toString(16)}`),
  (value) => value.replace(/[a-z]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
  (value) => `x${value}`,
  (value) => value.toUpperCase(),
  (value) => `<a href="mailto:${value}">`,
];
/** A secret is found in these too. */
const BASE64: readonly Spelling[] = [
  ...['', 'a', 'ab'].map(
    (before): Spelling =>
      (value) =>
        btoa(before + value),
  ),
  (value) => Buffer.from(`to ${value} now`).toString('base64url'),
];
/** Only the scan of a file finds a secret in these, so no file is written. */
const HIDDEN: readonly Spelling[] = [
  (value) => Buffer.from(value).toString('hex'),
  (value) => btoa(btoa(`is ${value}`)),
  (value) => btoa(encodeURIComponent(`${value}&`).replaceAll('e', '%65')),
  (value) => btoa(value.replace(/[a-z]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)),
];

const email = fc
  .tuple(
    fc.stringMatching(/^[a-z][a-z0-9._+]{2,9}[a-z]$/),
    fc.stringMatching(/^[a-z][a-z0-9-]{1,8}[a-z]\.(com|io|co\.uk)$/),
  )
  .map(([local, domain]) => `${local}@${domain}`);
const secret = fc.oneof(
  fc.constantFrom(DEFAULT_CREDENTIAL.secret, 'Pinned.Secret+of-partner', 'whsec_Of.The.Receiver'),
  fc.stringMatching(/^dms_(sandbox|live)_[A-Za-z0-9]{20,30}$/),
);

const plantOf = (value: fc.Arbitrary<string>, spellings: readonly Spelling[]) =>
  fc
    .tuple(fc.constantFrom(...Object.keys(PLACES)), value, fc.constantFrom(...spellings))
    .map(
      ([place, planted, spelling]): Plant => ({ place, value: planted, text: spelling(planted) }),
    );
const planted = fc.record({
  secrets: fc.array(plantOf(secret, [...SPELLINGS, ...BASE64]), {
    minLength: PLANTS,
    maxLength: PLANTS,
  }),
  hidden: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.tuple(plantOf(secret, HIDDEN))),
  emails: fc.array(plantOf(email, SPELLINGS), { minLength: PLANTS, maxLength: PLANTS }),
});

async function openedWith(
  dataDir: string,
  { pinned = 'Pinned.Secret+of-partner', webhook = 'whsec_Of.The.Receiver' } = {},
): Promise<RecordedSandbox> {
  const at = await recordedSandbox({
    dataDir,
    rateLimits: { write: 1_000, search: 1_000, default: 1_000, reporting: 1_000 },
    sender: {
      send: async ({ url }) => ({
        outcome: 'ok',
        httpStatus: 200,
        durationMs: 1,
        response: url + receiverSays,
      }),
      close: () => {},
    },
  });
  await control(at, 'POST', 'credentials', {
    key_id: 'dmk_pinned',
    secret: pinned,
  });
  await control(at, 'PUT', 'webhooks', {
    url: 'https://shop.example/h',
    secret: webhook,
  });
  return at;
}

async function sendAll(at: RecordedSandbox, plants: readonly Pick<Plant, 'place' | 'text'>[]) {
  receiverSays = '';
  for (const { place, text } of plants) await PLACES[place]?.(at, text);
  await at.sandbox.schedulers.of(at.world).idle();
}

function isIn(line: string, text: string): boolean {
  return line.includes(text) || line.includes(JSON.stringify(text).slice(1, -1));
}

const results = { verified: 0, unverified: 0, none: 0 };

/** Exports a file; a value in an unusual place may have no file, or one that does not replay, and the message says so. */
async function fileOf(at: RecordedSandbox, recorded: RecordedSoFar, keepPersonalData: boolean) {
  try {
    const { repro, problem } = await exportWhole(at, recorded, { keepPersonalData });
    results[problem === null ? 'verified' : 'unverified'] += 1;
    if (problem !== null) expect(problem).toMatch(/ changes the output of input \d+(?:\.\d+)? \(/);
    return repro;
  } catch (error) {
    expect(String(error)).toMatch(/would contain (a secret|personal data), so no file was written/);
    results.none += 1;
    return undefined;
  }
}

test(
  'no secret and no address that was planted anywhere is in a file, and the scan finds those that stay',
  async () => {
    await fc.assert(
      fc.asyncProperty(planted, async ({ secrets, hidden, emails }) => {
        const dataDir = stateFolder();
        const at = await openedWith(dataDir);
        const plants = [...secrets, ...hidden, ...emails];
        await sendAll(at, plants);
        const [recording] = at.recordings();
        if (!recording) throw new Error('nothing was recorded');
        const recorded = { recording, inputs: at.inputs(recording) };
        const forbidden = {
          secrets: [...secrets, ...hidden].map(({ value }) => value),
          personal: emails.map(({ value }) => value),
        };
        const file = await fileOf(at, recorded, false);
        if (file) {
          const lines = linesOfRepro(file);
          expect(scanLines(lines, forbidden)).toBeUndefined();
          expect(plants.filter(({ text }) => lines.some((line) => isIn(line, text)))).toEqual([]);
        }
        const kept = await fileOf(at, recorded, true);
        if (kept) {
          expect(scanLines(linesOfRepro(kept), { ...forbidden, personal: [] })).toBeUndefined();
          const scanned = scanLines(linesOfRepro(kept), { ...forbidden, secrets: [] });
          expect(scanned?.kind).toBe('personal data');
        }
        await at.close();
      }),
      { numRuns: EXPORTS, endOnFailure: true },
    );
    const { verified, unverified, none } = results;
    if (EXPORTS > 50) expect(verified).toBeGreaterThan(unverified + none);
  },
  300_000 + EXPORTS * 5_000,
);
