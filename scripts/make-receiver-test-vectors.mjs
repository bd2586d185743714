// Writes fixtures/receiver-test-vectors.json, or the file named: `npx node scripts/make-receiver-test-vectors.mjs [FILE]`.
// It implements the checks of `sandlot webhooks test` a second time, with secret `whsec_local`.
import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const SECRET = 'whsec_local';
const T = '2026-01-05T09:00:00.000Z';
const four = (n) => String(n).padStart(4, '0');
let events = 0;
let orders = 0;
const evt = () => `evt_receiver${four(++events)}`;
const ord = () => `ord_receiver${four(++orders)}`;

const hmac = (body, key = SECRET, encoding = 'hex') =>
  createHmac('sha256', key).update(body, 'utf8').digest(encoding);
const order = (id, status) =>
  `{"public_id":"${id}","domain":"harbor-lamp.example","status":"${status}","sale_price_cents":125000,"currency":"USD"}`;
/** The compact JSON of an event; `note` is a JSON string. */
function body({
  type = 'order.recorded',
  status = 'EXTERNALLY_PAID',
  at = T,
  id = ord(),
  note,
  event = evt(),
} = {}) {
  const written = order(id, status);
  const whole = note === undefined ? written : `${written.slice(0, -1)},"note":${note}}`;
  return `{"id":"${event}","type":"${type}","created_at":"${at}","partner_id":"ptr_local","data":{"order":${whole}}}`;
}
const indent = (text) => `${JSON.stringify(JSON.parse(text), null, 2)}\n`;

const MEDIA = 'application/json';
const HEADER = 'X-Service-Signature';
/** A delivery: the body, its signatures, and the headers that differ. */
function send(text, { signatures = [hmac(text)], media = MEDIA, header = HEADER, chunked } = {}) {
  const bytes = Buffer.from(text, 'utf8');
  return {
    headers: [
      ['Content-Type', media],
      chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', `${bytes.length}`],
      ...signatures.map((value) => [header, value]),
    ],
    body_base64: bytes.toString('base64'),
  };
}

const checks = [];
function add(id, level, response, effect, deliveries, atOnce = false) {
  checks.push({ id, level, expected: { response, effect }, at_once: atOnce, deliveries });
}
const valid = (id, effect, ...deliveries) => add(id, 'must', '200', effect, deliveries);
const advised = (id, effect, ...deliveries) => add(id, 'advice', '200', effect, deliveries);

for (const [type, status] of [
  ['order.recorded', 'EXTERNALLY_PAID'],
  ['order.manual_review_cleared', 'EXTERNALLY_PAID'],
  ['order.transfer_started', 'TRANSFER_IN_PROGRESS'],
  ['order.transfer_completed', 'TRANSFER_COMPLETED'],
  ['order.settled', 'SETTLED'],
  ['order.refunded', 'REFUNDED'],
]) {
  valid(`right.${type}`, type === 'order.recorded' ? 'one' : null, send(body({ type, status })));
}
const caseId = ord().replace('ord_', 'brk_');
valid(
  'right.brokerage.case_completed',
  null,
  send(
    `{"id":"${evt()}","type":"brokerage.case_completed","created_at":"${T}","partner_id":"ptr_local","data":{"case":{"case_id":"${caseId}","domain":"harbor-lamp.example","status":"COMPLETED","tier":"managed","deal_price_cents":125000,"currency":"USD","commission_cents":6250}}}`,
  ),
);

const UNICODE = '"Zoë 漢 😀\u2028"';
valid('body.pretty', 'one', send(indent(body())));
valid('body.escapes', 'one', send(body({ note: '"\\u0041\\u0042C\\/\\ud83d\\ude00"' })));
valid('body.utf8', 'one', send(body({ note: UNICODE })));
const plain = body();
valid(
  'body.fields',
  'one',
  send(
    `${plain.slice(0, -3)},"ratio":1.0,"score":1e2},"extra":null},"serial":9007199254740993,"nested":{"note":[1,[2,{"three":null}]]}}`,
  ),
);
advised('body.large', 'one', send(body({ note: `"${'x'.repeat(262144)}"` })));
advised('body.nul', 'one', send(body({ note: '"a\\u0000b"' })));
valid('type.family', null, send(body({ type: 'transfer.completed' })));
advised('type.unknown', null, send(body({ type: 'listing.updated' })));
valid('data.unknown_order', null, send(body()));
valid('data.old', 'one', send(body({ at: '2025-11-26T09:00:00.000Z' })));
valid('wire.split', 'one', send(body({ note: UNICODE })));
valid('wire.charset', 'one', send(body(), { media: 'application/json; charset=utf-8' }));
valid('wire.header_case', 'one', send(body(), { header: 'x-service-signature' }));
valid('wire.header_upper', 'one', send(body(), { header: 'X-SERVICE-SIGNATURE' }));
valid('wire.keep_alive', null, send(body()), send(body()));
const burst = Array.from({ length: 20 }, () => send(body()));
add('wire.burst', 'must', '200', null, burst, true);
add('wire.fast', 'advice', 'any', null, []);
advised('wire.chunked', 'one', send(body(), { chunked: true }));
add('wire.content_type', 'advice', 'any', null, [send(body(), { media: 'text/plain' })]);

const shared = ord();
const flipped = (hex) => hex.slice(0, 63) + (hex[63] === '0' ? '1' : '0');
/** A forged delivery: `forge` gets the compact body and returns what is sent and how. */
function forged(level, name, forge) {
  const text = body({ id: shared });
  const { sent = text, ...rest } = forge(text, hmac(text));
  add(`sig.${name}`, level, 'rejected', 'none', [send(sent, rest)]);
}
const must = (name, forge) => forged('must', name, forge);
const advice = (name, forge) => forged('advice', name, forge);
must('missing', () => ({ signatures: [] }));
must('empty', () => ({ signatures: [''] }));
must('wrong_secret', (text) => ({ signatures: [hmac(text, 'whsec_of_somebody_else')] }));
must('last_digit', (_, right) => ({ signatures: [flipped(right)] }));
must('prefix', (_, right) => ({ signatures: [right.slice(0, 8)] }));
must('not_hex', () => ({ signatures: ['z'.repeat(64)] }));
must('not_ascii', () => ({ signatures: ['\u00e9'.repeat(64)] }));
must('other_event', () => ({ signatures: [hmac(body({ id: shared }))] }));
must('tampered', (text, right) => ({
  sent: text.replace('125000', '125001'),
  signatures: [right],
}));
must('truncated', (text) => ({ signatures: [hmac(`${text}\n`)] }));
must('empty_key', (text) => ({ signatures: [hmac(text, '')] }));
must('no_key', (text) => ({ signatures: [createHash('sha256').update(text).digest('hex')] }));
must('reserialized', (text, right) => ({ sent: indent(text), signatures: [right] }));
must('appended', (text, right) => ({ sent: `${text}\n`, signatures: [right] }));
must('content_type', (_, right) => ({ media: 'text/plain', signatures: [flipped(right)] }));
must('not_json', (text) => {
  const half = text.slice(0, text.length / 2);
  return { sent: half, signatures: [flipped(hmac(half))] };
});
advice('upper', (_, right) => ({ signatures: [right.toUpperCase()] }));
advice('prefixed', (_, right) => ({ signatures: [`v1=${right}`] }));
advice('suffixed', (_, right) => ({ signatures: [`${right}zz`] }));
advice('base64', (text) => ({ signatures: [hmac(text, SECRET, 'base64')] }));
advice('two_headers', (_, right) => ({ signatures: [flipped(right), right] }));

const twice = send(body());
valid('dup.twice', 'one', twice, twice);
add('dup.at_once', 'must', '200', 'one', Array(10).fill(send(body())), true);
const hungUp = send(body());
valid('dup.hangup', 'one', hungUp, hungUp);
const later = body();
valid('dup.after_forgery', 'one', send(later, { signatures: [flipped(hmac(later))] }), send(later));
const [firstOrder, firstEvent] = [ord(), evt()];
advised(
  'dup.other_case',
  'one',
  send(body({ id: firstOrder, event: `${firstEvent}a` })),
  send(((_unused) => body({ event: `${firstEvent}A` }))(evt())),
);

const SETTLED = ['order.settled', 'SETTLED'];
const COMPLETED = ['order.transfer_completed', 'TRANSFER_COMPLETED'];
const STARTED = ['order.transfer_started', 'TRANSFER_IN_PROGRESS'];
const RECORDED = ['order.recorded', 'EXTERNALLY_PAID'];
const TIMES = ['09:00:00', '08:59:59', '08:59:58', '08:59:57'].map(
  (time) => `2026-01-05T${time}.000Z`,
);
const inTurn = (...steps) => {
  const id = ord();
  return steps.map(([type, status], n) => send(body({ type, status, at: TIMES[n], id })));
};
valid('order.reversed', null, ...inTurn(COMPLETED, STARTED, RECORDED));
add('order.at_once', 'advice', '200', null, inTurn(SETTLED, COMPLETED, STARTED, RECORDED), true);
advised(
  'order.no_return',
  'one',
  ...inTurn(COMPLETED, STARTED, RECORDED),
  ...inTurn(['order.refunded', 'REFUNDED'], STARTED),
);
valid('dup.late', 'none', twice);

const fixture = new URL('../fixtures/receiver-test-vectors.json', import.meta.url);
writeFileSync(process.argv[2] ?? fixture, `${JSON.stringify(checks, null, 2)}\n`);
