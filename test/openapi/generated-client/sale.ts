// A partner's program over clients that are generated from the OpenAPI documents: it is copied beside them, type
// checked and run by generated-client.test.ts. It knows nothing of sandlot's own code.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import * as control from './control.ts';
import * as partner from './partner.ts';

const { SANDLOT_URL = '', SANDLOT_KEY_ID = '', SANDLOT_SECRET = '' } = process.env;

partner.configure({
  serverUrl: SANDLOT_URL,
  clientHeader: false,
  fetch: (target, init) => fetch(target, signed(String(target), init)),
});
control.configure({ serverUrl: `${SANDLOT_URL}/_sandbox`, clientHeader: false });

const { domains } = await partner.searchDomains({ query: { q: 'shop' } });
const [found] = domains;
if (!found) throw new Error('nothing found');
const quote = await partner.postQuote({ body: { domain: found.domain } });
const order = await partner.postOrder({
  body: { quote_id: quote.quote_id, external_payment_ref: 'pi_1' },
  headers: { 'Idempotency-Key': randomUUID() },
});
const advanced = await control.postOrderAdvance({
  path: { id: order.public_id },
  body: { to: 'TRANSFER_COMPLETED' },
});
const run = await control.postSettlementsRun();
const detail = await partner.getOrder({ path: { public_id: order.public_id } });
const { events } = await partner.getEvents({ query: { limit: 100 } });
const rejected = await partner
  .postRefund({ body: { public_id: order.public_id } })
  .catch((error: unknown) => error);

process.stdout.write(
  JSON.stringify({
    price_kept: order.sale_price_cents === quote.price_cents,
    advanced: advanced.status,
    settled: run.settled_count,
    transfer: detail.transfer_status,
    timeline: detail.timeline.map(({ status }) => status),
    events: events.map(
      (event) => `${event.type} ${'order' in event.data && event.data.order.status}`,
    ),
    rejected:
      rejected instanceof partner.ApiError ? [rejected.status, rejected.body] : String(rejected),
  }),
);

/** The four headers, as the document's security scheme tells it. */
function signed(target: string, init: RequestInit = {}): RequestInit {
  const { pathname, searchParams } = new URL(target);
  const method = (init.method ?? 'GET').toUpperCase();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const nonce = randomUUID();
  const hash = createHash('sha256')
    .update(String(init.body ?? ''))
    .digest('hex');
  const query = [...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const canonical = [method, pathname, query, timestamp, nonce, hash].join('\n');
  const headers = new Headers(init.headers);
  headers.set('X-Service-Key-Id', SANDLOT_KEY_ID);
  headers.set('X-Service-Timestamp', timestamp);
  headers.set('X-Service-Nonce', nonce);
  headers.set(
    'X-Service-Signature',
    `v1=${createHmac('sha256', SANDLOT_SECRET).update(canonical).digest('hex')}`,
  );
  return { ...init, headers };
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
