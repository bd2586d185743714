import { verifyWebhook, WEBHOOK_SIGNATURE_HEADER } from '../signing/webhook.ts';

/** Whether a webhook's signature is right, and if not, why. */
export type WebhookJudgement = { valid: true; problem: null } | { valid: false; problem: string };

/** Compares in constant time; the mistakes are looked for only afterwards. */
export function judgeWebhook(
  secret: string,
  body: Buffer,
  given: string | undefined,
): WebhookJudgement {
  if (given === undefined || given === '') {
    return { valid: false, problem: `the ${WEBHOOK_SIGNATURE_HEADER} header is missing` };
  }
  if (verifyWebhook(secret, body, given)) return { valid: true, problem: null };
  return { valid: false, problem: problemOf(secret, body, given) };
}

function problemOf(secret: string, body: Buffer, given: string): string {
  if (given.startsWith('v1=')) {
    return 'it begins with v1=, which signatures of requests do, and those of webhooks do not';
  }
  if (verifyWebhook(secret, body, given.trim().toLowerCase())) {
    return 'it is right but for its spelling; expected lower-case hex and nothing around it';
  }
  if (!/^[0-9a-f]{64}$/.test(given)) return 'it is not 64 lower-case hex digits';
  for (const [name, other] of otherBodies(body)) {
    if (verifyWebhook(secret, other, given)) return `it is the signature of ${name}`;
  }
  return 'it does not match: another secret was used, or the body was changed after signing';
}

/** What people hash instead of the bytes that went over the wire. */
function* otherBodies(body: Buffer): Generator<[name: string, body: string]> {
  const text = body.toString();
  yield ['the body without its final line break', text.replace(/\r?\n$/, '')];
  yield ['the body with a line break added at its end', `${text}\n`];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  yield ['the same JSON written without spaces, not of these bytes', JSON.stringify(value)];
  yield ['the same JSON indented, not of these bytes', JSON.stringify(value, null, 2)];
}
