import { check, ONLY_200, type ReceiverCheck } from '../check.ts';
import type { Explanation } from '../result.ts';
import { UNICODE_TEXT } from './body.ts';

const BURST_SIZE = 20;

const STRICT_HEADERS = 'The receiver compares headers too strictly.';
const HEADER_CASE: Explanation = {
  meaning: STRICT_HEADERS,
  fix: 'Compare header names without case.',
};
const SLOW_RESPONSES: Explanation = {
  meaning: 'The receiver processes before it responds. Slow responses become late under load.',
  fix: 'Queue the event, respond, then process.',
};

export const WIRE_CHECKS: readonly ReceiverCheck[] = [
  check('wire.split', {
    sent: 'the body of body.utf8 in three writes 150 ms apart, one split inside the emoji',
    meaning: 'The receiver verifies decoded text, or decodes pieces one by one.',
    fix: 'Collect bytes, verify them, decode once.',
    build: (source) => {
      const whole = source.delivery(source.newEvent({ note: UNICODE_TEXT }));
      const emoji = whole.body.indexOf('😀');
      // The emoji has four bytes.
      return [{ ...whole, splitAt: [Math.floor(emoji / 2), emoji + 2] }];
    },
  }),
  check('wire.charset', {
    sent: 'Content-Type: application/json; charset=utf-8, valid signature',
    meaning: STRICT_HEADERS,
    fix: 'Compare the media type without parameters.',
    changes: { contentType: 'application/json; charset=utf-8' },
  }),
  check('wire.header_case', {
    ...HEADER_CASE,
    sent: 'header name x-service-signature, valid signature',
    changes: { signatureHeader: 'x-service-signature' },
  }),
  check('wire.header_upper', {
    ...HEADER_CASE,
    sent: 'header name X-SERVICE-SIGNATURE, valid signature',
    changes: { signatureHeader: 'X-SERVICE-SIGNATURE' },
  }),
  check('wire.keep_alive', {
    sent: 'two valid deliveries on one connection',
    expected: ONLY_200,
    sending: 'one_connection',
    meaning: 'The receiver leaves a body unread, or hangs.',
    fix: 'Read the whole body.',
    build: (source) => [source.newDelivery(), source.newDelivery()],
  }),
  check('wire.burst', {
    ...SLOW_RESPONSES,
    sent: `${BURST_SIZE} valid deliveries at once`,
    expected: ONLY_200,
    sending: 'at_once',
    build: (source) => Array.from({ length: BURST_SIZE }, () => source.newDelivery()),
  }),
  check('wire.fast', {
    ...SLOW_RESPONSES,
    level: 'advice',
    sent: 'nothing of its own: the response times of all deliveries so far',
    expected: { response: 'any', effect: null },
    evaluates: 'response_times',
    build: () => [],
  }),
  check('wire.chunked', {
    level: 'advice',
    sent: 'Transfer-Encoding: chunked without a length, valid signature',
    meaning: 'The receiver reads only by Content-Length.',
    fix: 'Use the body reader of your framework.',
    changes: { chunked: true },
  }),
  check('wire.content_type', {
    level: 'advice',
    sent: 'Content-Type: text/plain, valid signature',
    expected: { response: 'any', effect: null },
    meaning: 'The receiver crashed on a body that was not parsed.',
    fix: 'Check that the body was parsed.',
    changes: { contentType: 'text/plain' },
  }),
];
