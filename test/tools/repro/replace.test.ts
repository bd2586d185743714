import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bodyOf,
  bytesOf,
  type ReproRow,
  type RequestRecord,
} from '../../../src/tools/repro/format.ts';
import { linesOfRepro } from '../../../src/tools/repro/read-repro.ts';
import { PersonalData } from '../../../src/tools/repro/replace.ts';
import { scanLines } from '../../../src/tools/repro/scan.ts';
import { sampleRepro, sampleRequest } from './sample-repro.ts';

function requestOf(n: number, fields: Partial<RequestRecord>): RequestRecord {
  return sampleRequest(n, fields);
}

function replaced(...inputs: RequestRecord[]): RequestRecord[] {
  const personal = new PersonalData();
  for (const input of inputs) personal.collect(input);
  return inputs.map((input) => personal.request(input));
}

function replacedText(text: string): string {
  const [input] = replaced(requestOf(1, { body: { text } }));
  return input?.kind === 'request' ? bytesOf(input.body).toString() : '';
}

const order = (buyer: object) => JSON.stringify({ domain: 'a.test', buyer });

test('an email and a name become numbered ones, in the case of the letters', () => {
  expect(replacedText(order({ email: 'Jane.Doe@Company.com', name: 'Jane Doe' }))).toBe(
    order({ email: 'Buyer-1@example.invalid', name: 'Buyer-1' }),
  );
  expect(replacedText('["ann@x.com", "bob@x.com", "ANN@x.com", "ANN@X.COM"]')).toBe(
    '["buyer-1@example.invalid", "buyer-2@example.invalid", "Buyer-1@example.invalid", "BUYER-1@EXAMPLE.INVALID"]',
  );
});

test.each([
  ['a list', '["to jane@company.com, now"]', '["to buyer-1@example.invalid, now"]'],
  ['JSON escapes', '{"a":"\\u006aane\\u0040company.com"}', '{"a":"buyer-1@example.invalid"}'],
  [
    'JSON in JSON',
    '"{\\"e\\":\\"jane@company.com\\"}"',
    '"{\\"e\\":\\"buyer-1@example.invalid\\"}"',
  ],
  ['a later line', '"a\\njane@company.com"', '"a\\nbuyer-1@example.invalid"'],
  ['a query', '"q=%0ajane%40company.com&x=1"', '"q=%0abuyer-1@example.invalid&x=1"'],
  ['a package', '"npx sandlot@0.1.0"', '"npx sandlot@0.1.0"'],
])('an address in %s is replaced', (_where, text, expected) => {
  expect(replacedText(text)).toBe(expected);
});

test.each([
  ['{"buyer":{"email":"jane@company.com"', '"36 bytes left out"                 !'],
  ['mail jane@company.com', '("21 bytes left out")'],
  ['{"a" "jane@company.com"}', '"24 bytes left out"'],
])('a body that cannot be parsed is left out, and is rejected for the same reason', (text) => {
  const note = replacedText(text);
  expect(note).toContain(`${text.length} bytes left out`);
  expect(note).not.toContain('jane');
  expect(positionIn(note)).toBe(positionIn(text));
  expect(replacedText(note)).toBe(note);
});

function positionIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return 'valid';
  } catch (error) {
    return /position \d+/.exec(String(error))?.[0];
  }
}

test('names and webhook URLs that other fields show are replaced in every text', () => {
  const url = 'https://hooks.company.com/T00';
  const note = (name: string, hook: string) =>
    requestOf(2, { headers: [['X-Note', `for ${name}, ${hook}`]] });
  const [, replacedNote] = replaced(
    requestOf(1, {
      target: '/api/partner/webhooks',
      body: { text: JSON.stringify({ url, buyer: { name: 'Jane Doe' } }) },
    }),
    note('Jane Doe', url),
  );
  expect(replacedNote).toEqual(note('Buyer-1', 'https://receiver-1.invalid/'));
});

test('a known value is replaced in base64 too', () => {
  const [, second] = replaced(
    requestOf(1, { body: { text: order({ email: 'jane@company.com' }) } }),
    requestOf(2, {
      target: `/a/${Buffer.from('mail jane@company.com now').toString('base64')}`,
    }),
  );
  const target = second?.kind === 'request' ? second.target : '';
  expect(Buffer.from(target.slice(3), 'base64').toString()).not.toContain('company');
});

test('the replaced parts of a checkout form are its email and name', () => {
  const [input] = replaced(
    requestOf(1, {
      api: 'page',
      target: '/checkout?pt=x',
      body: { text: 'email=jane%40company.com&name=Al+B%C3%B6&country=DE' },
    }),
  );
  expect(input).toMatchObject({
    body: { text: 'email=buyer-1@example.invalid&name=Buyer-1&country=DE' },
  });
});

test('a name of several words is replaced in every text, also before the field that shows it', () => {
  const [first, second] = replaced(
    requestOf(1, { target: '/_sandbox/x?label=for+jane%20doe&b=Jane+Doe' }),
    requestOf(2, { body: { text: order({ name: 'Jane Doe' }) } }),
  );
  expect(first).toMatchObject({ target: '/_sandbox/x?label=for+buyer-1&b=Buyer-1' });
  expect(second).toMatchObject({ body: { text: order({ name: 'Buyer-1' }) } });
});

test('a name of one word is replaced in its field only', () => {
  expect(replacedText(order({ name: 'al', country: 'al' }))).toBe(
    order({ name: 'buyer-1', country: 'al' }),
  );
});

test('a value that may be too long stays as long', () => {
  for (const value of [`${'a'.repeat(300)}@company.com`, `Jane ${'e'.repeat(300)}`]) {
    const field = value.includes('@') ? 'email' : 'name';
    const text = replacedText(order({ [field]: value }));
    expect(text).toHaveLength(order({ [field]: value }).length);
    expect(text).toMatch(/[Bb]uyer-1x/);
  }
});

test('a webhook URL becomes that of a numbered receiver', () => {
  const url = 'https://hooks.company.com/services/T00/B00/secret';
  const [register, read] = replaced(
    requestOf(1, {
      method: 'PUT',
      target: '/api/partner/webhooks',
      body: { text: JSON.stringify({ url }) },
    }),
    requestOf(2, {
      method: 'DELETE',
      target: `/_sandbox/webhooks?url=${encodeURIComponent(url)}`,
      body: null,
    }),
  );
  const receiver = 'https://receiver-1.invalid/';
  expect(register).toMatchObject({ body: { text: JSON.stringify({ url: receiver }) } });
  expect(decodeURIComponent(read?.kind === 'request' ? read.target : '')).toBe(
    `/_sandbox/webhooks?url=${receiver}`,
  );
});

test('the response of a receiver is hidden, and keeps its shape', () => {
  const attempt = row('delivery_attempts', { outcome: 'ok', response: 'Hi Bob, 42 left' });
  expect(new PersonalData().row(attempt).values).toEqual({
    outcome: 'ok',
    response: 'xx xxx, 00 xxxx',
  });
});

const row = (table: string, values: ReproRow['values']): ReproRow => ({
  kind: 'base',
  table,
  values,
});

test('rows get the replacements of the inputs, and fingerprints those of the new bodies', () => {
  const personal = new PersonalData();
  const body = order({ email: 'jane@company.com' });
  const request = requestOf(1, { body: { text: body } });
  const hash = (text: string) => sha256(Buffer.from(text));
  const rows = [
    row('orders', {
      id: 'ord_1',
      buyer_email: 'JANE@company.com',
      buyer_name: 'Jo',
      sale_price_cents: 5,
    }),
    row('idempotency_keys', { fingerprint: hash(body), body }),
  ];
  for (const line of [...rows, request]) personal.collect(line);
  const input = personal.request(request);
  const replacedBody = input.kind === 'request' ? bytesOf(input.body).toString() : '';
  expect(rows.map((each) => personal.row(each).values)).toEqual([
    {
      id: 'ord_1',
      buyer_email: 'Buyer-1@example.invalid',
      buyer_name: 'Buyer-1',
      sale_price_cents: 5,
    },
    { fingerprint: hash(replacedBody), body: replacedBody },
  ]);
  expect(personal.counts).toEqual({ buyer_email: 1, buyer_name: 1 });
});

test('replacing again changes nothing', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abAB19é山. '), minLength: 1, maxLength: 8 });
  const email = fc
    .tuple(word, word)
    .map(([a, b]) => `${a.replaceAll(' ', '')}@${b.replaceAll(' ', '')}`);
  const bodies = fc.array(fc.record({ email, name: word }).map(order), { maxLength: 5 });
  fc.assert(
    fc.property(bodies, (texts) => {
      const inputs = texts.map((text, at) => requestOf(at + 1, { body: { text } }));
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
    'form',
  ),
});

function plantedIn(place: string, text: string): RequestRecord {
  switch (place) {
    case 'header':
      return requestOf(1, { headers: [['X-Any', text]] });
    case 'header name':
      return requestOf(1, { headers: [[text, '']] });
    case 'target':
      return requestOf(1, { target: `/a/${text}?q=${text}&${text}` });
    case 'bytes':
      return requestOf(1, {
        body: bodyOf(Buffer.concat([Buffer.from([0xff, 0]), Buffer.from(text)])),
      });
    case 'method':
      return requestOf(1, { method: text });
    case 'message':
      return requestOf(1, {
        signature_result: { code: 'invalid_signature', message: text, status: 401 },
      });
    case 'form':
      return requestOf(1, { api: 'page', body: { text: `email=${text}&label=${text}` } });
    default:
      return requestOf(1, { body: { text } });
  }
}

function scan(inputs: RequestRecord[], personal: string[], secrets: string[] = []) {
  return scanLines(linesOfRepro(sampleRepro(inputs)), { personal, secrets });
}

test('an address planted anywhere, in any spelling, is gone, and the scan finds it if it stays', () => {
  fc.assert(
    fc.property(planted, ({ local, domain, spelling, place }) => {
      const email = `${local}@${domain}`;
      const input = plantedIn(place, spelling(email));
      expect(scan([input], [email])?.kind).toBe('personal data');
      const personal = new PersonalData();
      personal.collect(input);
      expect(scan([personal.request(input)], [email])).toBeUndefined();
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
        expect(scan(inputs, [], minted ? [] : [secret])?.kind).toBe('a secret');
      },
    ),
    { numRuns: 200 },
  );
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
