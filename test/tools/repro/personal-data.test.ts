import { expect, test } from 'vitest';
import { type ReproRow, type RequestRecord, textOf } from '../../../src/tools/repro/format.ts';
import { PersonalData } from '../../../src/tools/repro/personal-data.ts';
import { message, sampleRequest } from './sample-repro.ts';

function replaced(...requests: RequestRecord[]): RequestRecord[] {
  const personal = new PersonalData();
  for (const request of requests) personal.reserveNumbers(request);
  for (const request of requests) personal.collect(request);
  return requests.map((request) => personal.replace(request));
}

function replacedText(text: string | Buffer, fields: Partial<RequestRecord> = {}): string {
  const [request] = replaced(sampleRequest(1, { ...fields, request: message(text) }));
  return request ? textOf(request.request) : '';
}

const order = (buyer: object) => JSON.stringify({ domain: 'a.test', buyer });
const utf16 = (text: string) => Buffer.from(text, 'utf16le').toString();
const row = (table: string, values: ReproRow['values']): ReproRow => ({
  kind: 'base',
  table,
  values,
});

test.each([
  [
    'a field',
    order({ email: 'Jane@Company.com', name: 'Jane Doe' }),
    order({ email: 'buyer-1@example.invalid', name: 'Buyer-1' }),
  ],
  [
    'equal values',
    '["ann@x.com","bob@x.com","ANN@x.com"]',
    '["buyer-1@example.invalid","buyer-2@example.invalid","buyer-1@example.invalid"]',
  ],
  ['a replaced text', 'a@x.org buyer-1@_.invalid', 'buyer-2@example.invalid buyer-1@_.invalid'],
  ['JSON escapes', '{"a":"\\u006aane\\u0040company.com"}', '{"a":"buyer-1@example.invalid"}'],
  [
    'JSON in JSON',
    '{"a":"{\\"e\\":\\"jane@company.com\\"}"}',
    '{"a":"{\\"e\\":\\"buyer-1@example.invalid\\"}"}',
  ],
  ['broken JSON', '["ja@x.org","name":"Al"', '["buyer-1@example.invalid","name":"Buyer-1"'],
  ['the name of a field', '{"jane@x.org":1}', '{"buyer-1@example.invalid":1}'],
  ['an address field', order({ email: 'J <j@x.org>' }), order({ email: 'buyer-1@_.invalid' })],
  ['a query', 'q=a%20jane%40company.com&x=1', 'q=buyer-1%40_.invalid&x=1'],
  ['IDN', 'j%40b%C3%B6.de a%40b%40c.de', 'buyer-1%40%C3%A9.invalid buyer-2%40_.invalid'],
  ['a field with é', order({ email: 'jané@x.org' }), order({ email: 'buyer-1@é.invalid' })],
  ...[`o'brien&co/a=b?c@x.org`, `${'a'.repeat(80)}@x.org`].flatMap((email) => [
    ['a field with any address', order({ email }), order({ email: 'buyer-1@example.invalid' })],
  ]),
  [
    'JSON with large numbers',
    '["a@x.org",1e400,-1e400,"\\u0000"]',
    '["buyer-1@example.invalid",1e400,-1e400,"\\u0000"]',
  ],
  ['the field of a name', order({ name: 'al', a: 'al' }), order({ name: 'Buyer-1', a: 'al' })],
  ['spaces in a name', order({ name: ['A B', 'A  B'] }), order({ name: ['Buyer-1', 'Buyer-1'] })],
  ['a long name', order({ name: 'J e'.repeat(9e3) }), order({ name: 'Buyer-1'.padEnd(27e3, 'x') })],
  ['a replaced name', order({ name: ['A', 'Buyer 8'] }), order({ name: ['Buyer-9', 'Buyer 8'] })],
  [
    'UTF-16',
    utf16(order({ email: 'jane@x.org', name: 'al' })),
    utf16(order({ email: 'buyer-1@example.invalid', name: 'Buyer-1' })),
  ],
  ['no package or default', 'a@0.1.0 buyer@example.com', 'a@0.1.0 buyer@example.com'],
  ['an address', 'a.b@10.0.0.1', 'buyer-1@example.invalid'],
])('personal data in %s is replaced', (_where, text, expected) => {
  expect(replacedText(text)).toBe(expected);
});

test.each(['{ "price" : 1.00,\n "price": 2 }', '{"url":"http://127.0.0.1/"}'])(
  'a body without personal data, as %j, keeps its bytes',
  (text) => expect(replacedText(text, { target: '/api/partner/webhooks' })).toBe(text),
);

test.each([
  [order({ email: 'a/b@x.org' }), order({ email: 'buyer-1@example.invalid' })],
  ['{"url":"https://hooks.company.com/"}', '{"url":"https://receiver-1.invalid/"}'],
])('%s is not replaced by what another request kept', (...texts) => {
  const target = '/_sandbox/golive/receiver-test';
  const requests = texts.map((text) => sampleRequest(1, { target, request: message(text) }));
  const bodies = replaced(...requests).map(({ request }) => request.body);
  expect(bodies).toEqual([texts[1].replace('-1', '-2'), texts[1]]);
});

test('the fields of a checkout form are replaced', () => {
  const form = 'email=jane%40company.com&name=Alan+B%C3%B6&country=DE';
  const page = { api: 'page', target: '/checkout?pt=x' } as const;
  expect(replacedText(form, page)).toBe('email=buyer-1%40example.invalid&name=Buyer-1&country=DE');
  const latin1 = Buffer.from('name=Zoë+Ä&email=j%F6@x.org', 'latin1');
  expect(replacedText(latin1, page)).toBe('name=Buyer-1&email=buyer-1%40%C3%A9.invalid');
});

test('names of several words and webhook URLs are replaced in every text, also before their field', () => {
  const url = 'https://hooks.company.com/T00';
  const note = (name: string, hook: string) =>
    sampleRequest(1, {
      target: `/a?n=${encodeURIComponent(name)}&u=${encodeURIComponent(hook)}`,
      request: message(null, [['X-Note', `for ${name}, ${hook}`]]),
    });
  const [first] = replaced(
    note('山田 太郎', url),
    sampleRequest(2, {
      target: '/api/partner/webhooks',
      request: message(JSON.stringify({ url, buyer: { name: '山田 太郎' } })),
    }),
  );
  expect(first).toMatchObject({
    target: '/a?n=Buyer%201&u=https://receiver-1.invalid/',
    request: { headers: [['X-Note', 'for Buyer 1, https://receiver-1.invalid/']] },
  });
});

test('a name is replaced in a body that is not UTF-8', () => {
  const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from('Jörg Ö')]);
  const [, second] = replaced(
    sampleRequest(1, { request: message(order({ name: 'Jörg Ö' })) }),
    sampleRequest(2, { request: message(bytes) }),
  );
  expect(second && textOf(second.request)).toBe('\ufffdBuyer 1\ufffd');
  const latin1 = Buffer.from(order({ name: 'Zoë' }), 'latin1');
  expect(replacedText(latin1)).toBe(`${order({ name: 'Buyer-1' })}\ufffd`);
});

test('rows get the replacements of the requests', () => {
  const personal = new PersonalData();
  const body = order({ email: 'jane@company.com' });
  const request = sampleRequest(1, { request: message(body) });
  const rows = [
    row('orders', { id: 'ord_1', buyer_email: 'JANE@company.com', buyer_name: 'Jo' }),
    row('idempotency_keys', { body }),
    row('counters', { name: 'Jo', value: 2 }),
  ];
  for (const line of [...rows, request]) personal.collect(line);
  const newBody = textOf(personal.replace(request).request);
  expect(rows.map((each) => personal.replace(each).values)).toEqual([
    { id: 'ord_1', buyer_email: 'buyer-1@example.invalid', buyer_name: 'Buyer-1' },
    { body: newBody },
    { name: 'Jo', value: 2 },
  ]);
  // For the scan of encodings, each in the letters that it had.
  expect(personal.originals().in('JANE@company.com jane@company.com')).toHaveLength(2);
});
