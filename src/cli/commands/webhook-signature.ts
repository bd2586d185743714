import { parseJson } from '../../kernel/json.ts';
import { verifyWebhook, WEBHOOK_SIGNATURE_HEADER } from '../../signing/signature.ts';

/** Whether the signature of a webhook is valid, and if not, why. */
export type SignatureResult = { valid: true; problem: null } | { valid: false; problem: string };

/** Verifies a signature in constant time, then looks for the mistake. */
export function checkWebhookSignature(
  secret: string,
  body: Buffer,
  signature: string | undefined,
): SignatureResult {
  if (signature === undefined || signature === '') {
    return { valid: false, problem: `the ${WEBHOOK_SIGNATURE_HEADER} header is missing` };
  }
  if (verifyWebhook(secret, body, signature)) return { valid: true, problem: null };
  return { valid: false, problem: problemOf(secret, body, signature) };
}

function problemOf(secret: string, body: Buffer, signature: string): string {
  if (signature.startsWith('v1=')) {
    return 'it starts with v1=, which only signatures of requests do';
  }
  if (verifyWebhook(secret, body, signature.trim().toLowerCase())) {
    return 'it matches except for its spelling; expected lowercase hex without spaces';
  }
  if (!/^[0-9a-f]{64}$/.test(signature)) return 'it is not 64 lowercase hex digits';
  for (const [name, otherBody] of otherBodies(body)) {
    if (verifyWebhook(secret, otherBody, signature)) return `it is the signature of ${name}`;
  }
  return 'it does not match: the secret is different, or the body changed after signing';
}

/** Bodies that clients sign instead of the bytes that were sent. */
function* otherBodies(body: Buffer): Generator<[name: string, body: string]> {
  const text = body.toString();
  yield ['the body without its final line break', text.replace(/\r?\n$/, '')];
  yield ['the body with an added final line break', `${text}\n`];
  const value = parseJson(text);
  if (value === undefined) return;
  yield ['the same JSON without spaces', JSON.stringify(value)];
  yield ['the same JSON, indented', JSON.stringify(value, null, 2)];
}
