import { parseJson } from '../../kernel/json.ts';
import { verifyWebhook, WEBHOOK_SIGNATURE_HEADER } from '../../signing/signature.ts';

/** Whether the signature of a webhook is valid, and if not, why and what to do. */
export type SignatureResult =
  | { valid: true; problem: null; fix: null }
  | { valid: false; problem: string; fix: string };

/** Verifies a signature in constant time, then looks for the mistake. */
export function checkWebhookSignature(
  secret: string,
  body: Buffer,
  signature: string | undefined,
): SignatureResult {
  if (signature === undefined || signature === '') {
    return invalid(`the ${WEBHOOK_SIGNATURE_HEADER} header is missing`, SPELLING);
  }
  if (verifyWebhook(secret, body, signature)) return { valid: true, problem: null, fix: null };
  const reading = readSignature(signature);
  if (reading === undefined) return invalid('it is not 64 lowercase hex digits', SPELLING);
  const { digest, mistakes } = reading;
  const spelling = mistakes.join(' and ');
  if (mistakes.length > 0 && verifyWebhook(secret, body, digest)) {
    return invalid(`it matches, but ${spelling}`, SPELLING);
  }
  for (const [name, otherBody] of otherBodies(body)) {
    if (!verifyWebhook(secret, otherBody, digest)) continue;
    const text = `it is the signature of ${name}`;
    return invalid(mistakes.length > 0 ? `${text}, and ${spelling}` : text, RAW_BODY);
  }
  return invalid(
    `it does not match: the secret is different, or the body changed after signing${mistakes.length > 0 ? `; and ${spelling}` : ''}`,
    'Compare the secret with that of the registration, and the body with the bytes that were sent.',
  );
}

const SPELLING =
  'Send the HMAC-SHA256 of the raw body as 64 lowercase hex digits, without a prefix.';
const RAW_BODY = 'Sign and verify the raw body, byte by byte, before anything parses it.';

function invalid(problem: string, fix: string): SignatureResult {
  return { valid: false, problem, fix };
}

/** Returns the digest of a signature as lowercase hex, and how its spelling is wrong. */
function readSignature(signature: string): { digest: string; mistakes: string[] } | undefined {
  const mistakes: string[] = [];
  const trimmed = signature.trim();
  if (trimmed !== signature) mistakes.push('has spaces around it');
  const prefix = /^(?:v1|sha256)=/i.exec(trimmed)?.[0] ?? '';
  if (prefix === 'v1=') mistakes.push('starts with v1=, which only signatures of requests do');
  else if (prefix !== '') mistakes.push(`starts with ${prefix}`);
  const text = trimmed.slice(prefix.length);
  if (/^[0-9a-f]{64}$/i.test(text)) {
    if (text !== text.toLowerCase()) mistakes.push('is in uppercase');
    return { digest: text.toLowerCase(), mistakes };
  }
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
  mistakes.push('is in base64');
  return { digest: Buffer.from(text, 'base64').toString('hex'), mistakes };
}

/** Bodies that clients sign instead of the bytes that were sent. */
function* otherBodies(body: Buffer): Generator<[name: string, body: string]> {
  const text = body.toString();
  yield ['the body without its final line break', text.replace(/\r?\n$/, '')];
  yield ['the body with an added final line break', `${text}\n`];
  yield ['an empty body', ''];
  yield ['the text "[object Object]", a parsed body', '[object Object]'];
  const value = parseJson(text);
  if (value === undefined) return;
  yield ['the same JSON without spaces', JSON.stringify(value)];
  yield ['the same JSON, indented', JSON.stringify(value, null, 2)];
}
