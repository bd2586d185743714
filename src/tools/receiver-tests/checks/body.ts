import { check, type ReceiverCheck } from '../check.ts';
import { compact, pretty, type WebhookEvent } from '../source.ts';

const RAW_BODY = 'Verify the raw body before any JSON parser runs.';

/** Text with different numbers of bytes, characters and UTF-16 units. */
export const UNICODE_TEXT = 'Zoë 漢 😀\u2028';
const LARGE_TEXT = 'x'.repeat(256 * 1024);
/** JSON escapes for "ABC/😀". `JSON.stringify` would write none of them. */
const ESCAPED_TEXT = '\\u0041\\u0042C\\/\\ud83d\\ude00';

export const BODY_CHECKS: readonly ReceiverCheck[] = [
  check('body.pretty', {
    sent: 'JSON indented by two spaces, newline at the end, valid signature',
    meaning: 'The receiver verifies JSON that it wrote itself, or trims the body.',
    fix: RAW_BODY,
    body: pretty,
  }),
  check('body.escapes', {
    sent: 'text with \\u0041-style escapes, \\/ and a surrogate pair, valid signature',
    meaning: 'The receiver verifies JSON that it wrote itself.',
    fix: RAW_BODY,
    event: { note: '@' },
    body: (event) => compact(event).replace('"@"', `"${ESCAPED_TEXT}"`),
  }),
  check('body.utf8', {
    sent: 'text with accents, Chinese, an emoji and U+2028 as UTF-8, valid signature',
    meaning: 'The receiver verifies decoded text, or decodes pieces one by one.',
    fix: 'Collect bytes, verify them, decode once.',
    event: { note: UNICODE_TEXT },
  }),
  check('body.fields', {
    sent: 'unknown fields at the top, in data and in data.order, valid signature',
    meaning: 'The schema of the receiver is strict, or it verifies JSON that it wrote itself.',
    fix: 'Ignore unknown fields. Verify the raw body before any JSON parser runs.',
    body: withUnknownFields,
  }),
  check('body.large', {
    level: 'advice',
    sent: 'text of 256 KiB, valid signature',
    meaning: 'The limit of the body parser is lower, often 100 KB.',
    fix: 'Raise the limit for this path.',
    event: { note: LARGE_TEXT },
  }),
  check('body.nul', {
    level: 'advice',
    sent: 'text with \\u0000, valid signature',
    meaning: 'The receiver stores the body where this character is not allowed, as in PostgreSQL.',
    fix: 'Store the raw body as bytes, or only the fields that you need.',
    event: { note: 'a\0b' },
  }),
];

/** Writes the numbers 1.0, 1e2 and an integer above 2^53 into the JSON, because `JSON.stringify` cannot. */
function withUnknownFields(event: WebhookEvent): string {
  const nested = { note: [1, [2, { three: null }]] };
  const [[key = '', subject] = []] = Object.entries(event.data);
  return JSON.stringify({
    ...event,
    data: { [key]: { ...subject, ratio: '@1.0', score: '@1e2' }, extra: null },
    serial: '@9007199254740993',
    nested,
  }).replaceAll(/"@([\d.e]+)"/g, '$1');
}
