import type { Check, Delivery, Source } from '../check.ts';
import { type DeliveryChanges, delivery, eventWithText, newEvent } from '../delivery.ts';
import { UNICODE_TEXT } from './body.ts';

const BURST = 20;

export const WIRE: readonly Check[] = [
  check('wire.split', {
    sent: 'the body of body.utf8 in three writes 150 ms apart, one split inside the emoji',
    meaning: 'The receiver verifies decoded text, or decodes pieces one by one.',
    fix: 'Collect bytes, verify them, decode once.',
    build: (source) => {
      const whole = delivery(source, eventWithText(source, UNICODE_TEXT));
      const emoji = whole.body.indexOf('😀');
      return [{ ...whole, splitAt: [Math.floor(emoji / 2), emoji + 2] }];
    },
  }),
  check('wire.charset', {
    sent: 'Content-Type: application/json; charset=utf-8, valid signature',
    meaning: 'The receiver compares headers too strictly.',
    fix: 'Compare the media type without parameters.',
    build: one({ contentType: 'application/json; charset=utf-8' }),
  }),
  check('wire.header_case', {
    sent: 'header name x-service-signature in lowercase, valid signature',
    meaning: 'The receiver compares headers too strictly.',
    fix: 'Compare header names without case.',
    build: one({ signatureHeader: 'x-service-signature' }),
  }),
  check('wire.keep_alive', {
    expected: { response: '200', effect: null },
    procedure: 'one_connection',
    sent: 'two valid deliveries on one connection',
    meaning: 'The receiver leaves a body unread, or hangs.',
    fix: 'Read the whole body.',
    build: (source) => several(source, 2),
  }),
  check('wire.burst', {
    expected: { response: '200', effect: null },
    procedure: 'at_once',
    sent: `${BURST} valid deliveries at once`,
    meaning: 'The receiver processes before it responds. Slow responses become late under load.',
    fix: 'Queue the event, respond, then process.',
    build: (source) => several(source, BURST),
  }),
  check('wire.fast', {
    level: 'advice',
    expected: { response: 'any', effect: null },
    procedure: 'response_times',
    sent: 'nothing of its own: the response times of all deliveries so far',
    meaning: 'The receiver processes before it responds. Slow responses become late under load.',
    fix: 'Queue the event, respond, then process.',
    build: () => [],
  }),
  check('wire.chunked', {
    level: 'advice',
    sent: 'Transfer-Encoding: chunked without a length, valid signature',
    meaning: 'The receiver reads only by Content-Length.',
    fix: 'Use the body reader of your framework.',
    build: one({ chunked: true }),
  }),
  check('wire.content_type', {
    level: 'advice',
    expected: { response: 'any', effect: null },
    sent: 'Content-Type: text/plain, valid signature',
    meaning: 'The receiver crashed on a body that was not parsed.',
    fix: 'Check that the body was parsed.',
    build: one({ contentType: 'text/plain' }),
  }),
];

function check(
  id: string,
  rest: Pick<Check, 'sent' | 'meaning' | 'fix' | 'build'> & Partial<Check>,
): Check {
  return {
    id,
    level: 'must',
    expected: { response: '200', effect: 'one' },
    procedure: 'in_turn',
    ...rest,
  };
}

function one(changes: DeliveryChanges): Check['build'] {
  return (source) => [delivery(source, newEvent(source), changes)];
}

function several(source: Source, count: number): Delivery[] {
  return Array.from({ length: count }, () =>
    delivery(source, newEvent(source, { subject: source.anotherSubject() })),
  );
}
