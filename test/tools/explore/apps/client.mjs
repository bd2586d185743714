// A client of the partner API, which the shop and the test suites use. Signs each attempt by itself.
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const {
  SANDLOT_URL,
  SANDLOT_KEY_ID,
  SANDLOT_SECRET,
  SANDLOT_WEBHOOK_SECRET = 'whsec_local',
  CLIENT_TIMEOUT_MS = '5000',
} = process.env;

/** A call is tried so often: a suite of tests may fail at once. */
export const ATTEMPTS = Number(process.env.ATTEMPTS ?? 6);

function sign(method, path, query, timestamp, nonce, body) {
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const canonical = [method, path, query, timestamp, nonce, bodyHash].join('\n');
  return `v1=${createHmac('sha256', SANDLOT_SECRET).update(canonical).digest('hex')}`;
}

/** Names in the order of the alphabet, and values of letters, digits, `.`, `_` and `-`: as a signature needs it. */
function queryOf(parameters) {
  return Object.keys(parameters)
    .sort()
    .map((name) => `${name}=${encodeURIComponent(parameters[name])}`)
    .join('&');
}

/** Returns nothing for what is not JSON: a gateway answers with HTML. */
export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends a request once. Without a response, the status is 0; without JSON, there is no body. */
export async function send(method, path, { query = {}, data, key, read = parse } = {}) {
  const fullPath = path === '/webhooks' ? '/api/partner/webhooks' : `/api/partner/v1${path}`;
  const queryText = queryOf(query);
  const body = data === undefined ? '' : JSON.stringify(data);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  let response;
  let text;
  try {
    response = await fetch(`${SANDLOT_URL}${fullPath}${queryText && `?${queryText}`}`, {
      method,
      ...(body && { body }),
      signal: AbortSignal.timeout(Number(CLIENT_TIMEOUT_MS)),
      headers: {
        'X-Service-Key-Id': SANDLOT_KEY_ID,
        'X-Service-Timestamp': timestamp,
        'X-Service-Nonce': nonce,
        'X-Service-Signature': sign(method, fullPath, queryText, timestamp, nonce, body),
        ...(body && { 'Content-Type': 'application/json' }),
        ...(key && { 'Idempotency-Key': key }),
      },
    });
    text = await response.text();
  } catch {
    return { status: 0 };
  }
  const retryAfter = Number(response.headers.get('Retry-After') ?? 0);
  const type = response.headers.get('Content-Type');
  return { status: response.status, type, body: read(text), retryAfter };
}

/** Whether the same request can get another answer later. */
export function isTemporary({ status, body }) {
  return status === 0 || status === 429 || status >= 500 || body === undefined;
}

/** Waits before the next attempt: as long as the answer says, else longer each time. */
export function pause(failures, { retryAfter = 0 }) {
  return sleep(retryAfter > 0 ? retryAfter * 1000 : 10 * 2 ** failures);
}

/** Sends a request until there is an answer that another attempt would not change. */
export async function call(method, path, options) {
  for (let failures = 1; ; failures += 1) {
    const answer = await send(method, path, options);
    if (!isTemporary(answer) || failures >= ATTEMPTS) return answer;
    await pause(failures, answer);
  }
}

/** Whether a webhook comes from the marketplace. */
export function isGenuine(rawBody, signature = '') {
  const hmac = createHmac('sha256', SANDLOT_WEBHOOK_SECRET).update(rawBody);
  const expected = Buffer.from(hmac.digest('hex'));
  const actual = Buffer.from(signature);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

export async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
