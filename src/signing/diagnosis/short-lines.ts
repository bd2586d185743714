import type { Lines, MistakeText, SigningMistake } from './mistake.ts';

export const SHORT_LINE_MISTAKES = {
  method_lower_case: {
    summary: 'The METHOD line was signed in lower case.',
    fix: 'Write the HTTP verb in upper case.',
  },
  method_other: {
    summary: 'The METHOD line names another verb than the request used.',
    fix: 'Sign the verb that is really sent; a redirect or a HEAD helper may have changed it.',
  },
  timestamp_milliseconds: {
    summary: 'The TIMESTAMP line and the timestamp header disagree: one is in milliseconds.',
    fix: 'Read the clock once, in whole Unix seconds, and put that same text in the header and in the canonical string.',
  },
  timestamp_with_fraction: {
    summary: 'The TIMESTAMP line was signed with a fraction.',
    fix: 'Make the timestamp an integer before it becomes text, and use that text twice.',
  },
  timestamp_as_date: {
    summary: 'The TIMESTAMP line was signed as a date text, not as Unix seconds.',
    fix: 'Sign the text of the timestamp header.',
  },
  timestamp_read_twice: {
    summary: 'The TIMESTAMP line is a moment off the timestamp header.',
    fix: 'Read the clock once per request, and use that value in the header and in the canonical string.',
  },
  nonce_respelled: {
    summary: 'The NONCE line and the nonce header are spelled differently.',
    fix: 'Sign the nonce exactly as it is in the header, in the same case and with its dashes.',
  },
} as const satisfies Record<string, MistakeText>;

type ShortLineSigningMistake = SigningMistake<keyof typeof SHORT_LINE_MISTAKES>;

const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function* shortLineMistakes(right: Lines): Generator<ShortLineSigningMistake> {
  yield { slugs: ['method_lower_case'], lines: { method: right.method.toLowerCase() } };
  for (const method of VERBS) {
    yield { slugs: ['method_other'], lines: { method }, detail: method, rare: true };
  }
  yield* timestampMistakes(right.timestamp);
  const { nonce } = right;
  for (const variant of [nonce.toLowerCase(), nonce.toUpperCase(), nonce.replaceAll('-', '')]) {
    yield { slugs: ['nonce_respelled'], lines: { nonce: variant }, rare: true };
  }
}

function* timestampMistakes(timestamp: string): Generator<ShortLineSigningMistake> {
  if (!/^[1-9]\d{0,15}$/.test(timestamp)) return;
  const value = Number(timestamp);
  const inSeconds = timestamp.length <= 11;
  const converted = inSeconds ? value * 1000 : Math.floor(value / 1000);
  yield { slugs: ['timestamp_milliseconds'], lines: { timestamp: String(converted) } };
  yield { slugs: ['timestamp_with_fraction'], lines: { timestamp: `${timestamp}.0` } };
  for (const step of [-1, 1, -2, 2]) {
    yield { slugs: ['timestamp_read_twice'], lines: { timestamp: String(value + step) } };
  }
  const date = new Date(inSeconds ? converted : value);
  if (Number.isNaN(date.getTime())) return;
  const iso = date.toISOString();
  const plain = iso.replace(/\.\d+Z$/, 'Z');
  for (const text of [iso, plain, iso.replace('Z', '+00:00'), plain.replace('Z', '+00:00')]) {
    yield { slugs: ['timestamp_as_date'], lines: { timestamp: text }, detail: text, rare: true };
  }
}

/** The thousand milliseconds of the second in the header, for a client that divides for the header only. */
export function* millisecondMistakes(right: Lines): Generator<ShortLineSigningMistake> {
  if (!/^[1-9]\d{0,10}$/.test(right.timestamp)) return;
  const start = Number(right.timestamp) * 1000;
  for (let ms = start; ms < start + 1000; ms += 1) {
    yield { slugs: ['timestamp_milliseconds'], lines: { timestamp: String(ms) }, rare: true };
  }
}
