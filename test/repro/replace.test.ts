import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bodyOf, bytesOf, type ReproInput, type ReproRow } from '../../src/repro/format.ts';
import { PersonalData } from '../../src/repro/replace.ts';
import { scanLines } from '../../src/repro/scan.ts';
import { linesOfRepro } from '../../src/repro/write-repro.ts';
import { sampleRepro, sampleRequest, sampleStep } from './sample-repro.ts';

function replaced(...inputs: ReproInput[]): ReproInput[] {
  const personal = new PersonalData();
  for (const input of inputs) personal.learn(input);
  return inputs.map((input) => personal.input(input));
}

function replacedText(text: string): string {
  const [input] = replaced(sampleRequest(1, { body: { text } }));
  return input?.kind === 'request' ? bytesOf(input.body).toString() : '';
}

const order = (buyer: object) => JSON.stringify({ domain: 'a.test', buyer });

test('an email and a name keep their length, shape and case', () => {
  expect(replacedText(order({ email: 'Jane.Doe@Company.com', name: 'Jane Doe' }))).toBe(
    order({ email: 'Xxxx.Xxx@Xxxxxxx.com', name: 'Xxxx Xxx' }),
  );
});

test('equal values get equal replacements, and different values different ones', () => {
  const text = 'ann@x.com bob@x.com ANN@x.com cid@x.com';
  const [first = '', second = '', third = '', last = ''] = replacedText(text).split(' ');
  expect(third).toBe(`${first.slice(0, 3).toUpperCase()}${first.slice(3)}`);
  expect(new Set([first, second, last]).size).toBe(3);
});

test('a thousand values of one shape stay different', () => {
  const emails = Array.from(
    { length: 1_000 },
    (_, n) =>
      `b${String.fromCharCode(97 + (n % 26))}${String.fromCharCode(97 + (Math.floor(n / 26) % 26))}${n > 675 ? 'x' : 'y'}@a.io`,
  );
  const made = replacedText(emails.join(' ')).split(' ');
  expect(new Set(made).size).toBe(new Set(emails).size);
});

test.each([
  ['a query', 'q=jane%40company.com&x=1', 'q=xxxx%40xxxxxxx.com&x=1'],
  ['an escaped letter', '%6aane@company.com', '%78xxx@xxxxxxx.com'],
  ['JSON escapes', '{"a":"\\u006aane\\u0040company.com"}', '{"a":"\\u0078xxx\\u0040xxxxxxx.com"}'],
  ['JSON in JSON', '"{\\"e\\":\\"jane@company.com\\"}"', '"{\\"e\\":\\"xxxx@xxxxxxx.com\\"}"'],
  ['after an escaped line break', '"a\\njane@company.com"', '"a\\nxxxx@xxxxxxx.com"'],
  [
    'base64',
    Buffer.from('mail jane@company.com now').toString('base64'),
    Buffer.from('mail xxxx@xxxxxxx.com now').toString('base64'),
  ],
  ['short base64', 'Yl9ueUB2LWQuaW8', 'eF94eEB4LXguaW8'],
  ['a broken body', '{"buyer":{"email":"jane@company.com"', '{"buyer":{"email":"xxxx@xxxxxxx.com"'],
  ['a name in a broken body', '{"buyer":{"name":"Jane D', '{"buyer":{"name":"Xxxx X'],
  [
    'a name with quotes',
    '{"buyer":{"name":"Jane \\"JD\\" Doe"}}',
    '{"buyer":{"name":"Xxxx \\"XX\\" Xxx"}}',
  ],
  [
    'letters of two and three bytes',
    '{"buyer":{"name":"Jörg 山田"}}',
    `{"buyer":{"name":"Xчxx ｘｘ"}}`,
  ],
  ['a package', 'npx sandlot@0.1.0', 'npx sandlot@0.1.0'],
])('an address in %s is replaced', (_where, text, expected) => {
  expect(replacedText(text)).toBe(expected);
});

test('random bytes in base64 are not taken for an address', () => {
  // The bytes ÿ@é, as the signature of a token may have them.
  const token = `cXRfMDAwMDAwMQ.${Buffer.from('0123456\u00ff@\u00e9-6789', 'latin1').toString('base64url')}`;
  expect(replacedText(`{"quote_id":"${token}"}`)).toBe(`{"quote_id":"${token}"}`);
});

test('names and webhook URLs that other fields show are replaced in base64 too', () => {
  const url = 'https://hooks.company.com/T00';
  const encoded = (text: string) => Buffer.from(`for ${text}, now`).toString('base64');
  const note = (name: string, hook: string) =>
    sampleRequest(2, { headers: [['X-Note', `${encoded(name)} ${encoded(hook)}`]] });
  const [, replacedNote] = replaced(
    sampleRequest(1, {
      target: '/api/partner/webhooks',
      body: { text: JSON.stringify({ url, buyer: { name: 'Jane Doe' } }) },
    }),
    note('Jane Doe', url),
  );
  expect(replacedNote).toEqual(note('Xxxx Xxx', 'https://receiver-1.invalid/xx'));
});

test('the replaced parts of a checkout form are its email and name', () => {
  const [input] = replaced(
    sampleRequest(1, {
      api: 'page',
      target: '/checkout?pt=x',
      body: { text: 'email=jane%40company.com&name=Al+B%C3%B6&country=DE' },
    }),
  );
  expect(input).toMatchObject({
    body: { text: 'email=xxxx%40xxxxxxx.com&name=Xx+X%D1%87&country=DE' },
  });
});

test('a name of several words is replaced in every text, also before the field that shows it', () => {
  const [first, second] = replaced(
    sampleRequest(1, { target: '/_sandbox/x?label=for+jane%20doe' }),
    sampleRequest(2, { body: { text: order({ name: 'Jane Doe' }) } }),
  );
  expect(first).toMatchObject({ target: '/_sandbox/x?label=for+xxxx%20xxx' });
  expect(second).toMatchObject({ body: { text: order({ name: 'Xxxx Xxx' }) } });
});

test('a short name is replaced in its field only', () => {
  expect(replacedText(order({ name: 'al', country: 'al' }))).toBe(
    order({ name: 'xx', country: 'al' }),
  );
});

test('a webhook URL becomes a receiver of the same length', () => {
  const url = 'https://hooks.company.com/services/T00/B00/secret';
  const [register, read] = replaced(
    sampleRequest(1, {
      method: 'PUT',
      target: '/api/partner/webhooks',
      body: { text: JSON.stringify({ url }) },
    }),
    sampleRequest(2, {
      method: 'DELETE',
      target: `/_sandbox/webhooks?url=${encodeURIComponent(url)}`,
      body: null,
    }),
  );
  const receiver = 'https://receiver-1.invalid/'.padEnd(url.length, 'x');
  expect(register).toMatchObject({ body: { text: JSON.stringify({ url: receiver }) } });
  expect(decodeURIComponent(read?.kind === 'request' ? read.target : '')).toBe(
    `/_sandbox/webhooks?url=${receiver}`,
  );
});

test('the response of a receiver is hidden, and keeps its shape', () => {
  const result = { outcome: 'ok', http_status: 200, duration_ms: 3, response: 'Hi Bob, 42 left' };
  expect(replaced(sampleStep(1, { label: 'outcome', result }))).toMatchObject([
    { result: { outcome: 'ok', response: 'xx xxx, 00 xxxx' } },
  ]);
});

const row = (table: string, values: ReproRow['values']): ReproRow => ({
  kind: 'row',
  table,
  values,
});

test('rows get the replacements of the inputs, and fingerprints those of the new bodies', () => {
  const personal = new PersonalData();
  const body = order({ email: 'jane@company.com' });
  const request = sampleRequest(1, { body: { text: body } });
  const hash = (text: string) => sha256(Buffer.from(text));
  const rows = [
    row('orders', {
      id: 'ord_1',
      buyer_email: 'JANE@company.com',
      buyer_name: 'Jo',
      sale_price_cents: 5,
    }),
    row('idempotency_keys', { fingerprint: hash(body), body }),
    row('credentials', { key_id: 'dmk_live_abcdef123', environment: 'LIVE' }),
    row('rate_windows', { key_id: 'dmk_live_abcdef123' }),
  ];
  for (const line of [...rows, request]) personal.learn(line);
  const input = personal.input(request);
  const replacedBody = input.kind === 'request' ? bytesOf(input.body).toString() : '';
  expect(rows.map((each) => personal.row(each).values)).toEqual([
    { id: 'ord_1', buyer_email: 'XXXX@xxxxxxx.com', buyer_name: 'Xx', sale_price_cents: 5 },
    { fingerprint: hash(replacedBody), body: replacedBody },
    { key_id: 'dmk_live_xxxxxx000', environment: 'LIVE' },
    { key_id: 'dmk_live_xxxxxx000' },
  ]);
  expect(personal.counts).toEqual({ buyer_email: 1, buyer_name: 1, live_key_id: 1 });
});

test('replacing again changes nothing', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abAB19é山. '), minLength: 1, maxLength: 8 });
  const email = fc
    .tuple(word, word)
    .map(([a, b]) => `${a.replaceAll(' ', '')}@${b.replaceAll(' ', '')}`);
  const bodies = fc.array(fc.record({ email, name: word }).map(order), { maxLength: 5 });
  fc.assert(
    fc.property(bodies, (texts) => {
      const inputs = texts.map((text, at) => sampleRequest(at + 1, { body: { text } }));
      const once = replaced(...inputs);
      expect(replaced(...once)).toEqual(once);
    }),
    { numRuns: 200 },
  );
});

/** Ways in which a client may spell a value. */
const SPELLINGS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => value.toUpperCase(),
  (value) => encodeURIComponent(value),
  (value) => encodeURIComponent(encodeURIComponent(value)),
  (value) => JSON.stringify({ note: value, buyer: { email: value } }),
  (value) => JSON.stringify(JSON.stringify({ note: `is ${value}!` })),
  (value) => value.replace(/[a-z]/g, (char) => `%${char.charCodeAt(0).toString(16)}`),
  (value) => value.replace(/[a-z]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
  (value) => Buffer.from(`to ${value} now`).toString('base64'),
  (value) => `{"buyer":{"email":"${value}", broken`,
  (value) => `<a href="mailto:${value}">`,
];

const planted = fc.record({
  local: fc.stringMatching(/^[a-z][a-z0-9._+-]{2,12}[a-z]$/),
  domain: fc.stringMatching(/^[a-z][a-z0-9-]{1,8}[a-z]\.(com|io|co\.uk)$/),
  spelling: fc.constantFrom(...SPELLINGS),
  place: fc.constantFrom(
    'header',
    'header name',
    'target',
    'body',
    'bytes',
    'method',
    'message',
    'send',
    'form',
  ),
});

function plantedIn(place: string, text: string): ReproInput {
  switch (place) {
    case 'header':
      return sampleRequest(1, { headers: [['X-Any', text]] });
    case 'header name':
      return sampleRequest(1, { headers: [[text, '']] });
    case 'target':
      return sampleRequest(1, { target: `/a/${text}?q=${text}&${text}` });
    case 'bytes':
      return sampleRequest(1, {
        body: bodyOf(Buffer.concat([Buffer.from([0xff, 0]), Buffer.from(text)])),
      });
    case 'method':
      return sampleRequest(1, { method: text });
    case 'message':
      return sampleRequest(1, {
        signature_result: { code: 'invalid_signature', message: text, status: 401 },
      });
    case 'send':
      return sampleStep(1, { label: 'outcome', body: text });
    case 'form':
      return sampleRequest(1, { api: 'page', body: { text: `email=${text}&label=${text}` } });
    default:
      return sampleRequest(1, { body: { text } });
  }
}

function scan(inputs: ReproInput[], personal: string[], secrets: string[] = []) {
  return scanLines(linesOfRepro(sampleRepro(inputs)), { personal, secrets });
}

test('an address planted anywhere, in any spelling, is gone, and the scan finds it if it stays', () => {
  fc.assert(
    fc.property(planted, ({ local, domain, spelling, place }) => {
      const email = `${local}@${domain}`;
      const input = plantedIn(place, spelling(email));
      expect(scan([input], [email])?.what).toBe('personal data');
      const personal = new PersonalData();
      personal.learn(input);
      expect(scan([personal.input(input)], [email])).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test('the scan finds secrets and the pattern of minted ones in any spelling', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Za-z0-9]{12,20}$/),
      planted,
      fc.boolean(),
      (random, { spelling, place }, minted) => {
        const secret = minted ? `dms_sandbox_${random}` : random;
        const inputs = [plantedIn(place, spelling(secret))];
        expect(scan(inputs, [], minted ? [] : [secret])?.what).toBe('a secret');
      },
    ),
    { numRuns: 200 },
  );
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
