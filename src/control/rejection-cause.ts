import { formatDuration, isoTime } from '../kernel/time.ts';
import { hasBehavior } from '../market/inventory/magic-domains.ts';
import { findByToken } from '../market/quotes.ts';
import { shortTarget } from '../requests/describe.ts';
import type { RequestLogEntry } from '../requests/log-entry.ts';
import type { RequestLog } from '../requests/request-log.ts';
import type { World } from '../world/world.ts';
import { requestOfQuote } from './request-of-quote.ts';
import { bodyObject, withSubjects } from './request-subjects.ts';

const CLOCK_MOVES = ['advance', 'set', 'next', 'until'].map((move) => `/_sandbox/clock/${move}`);
const LISTING_CHANGES = ['/_sandbox/inventory/:domain', '/_sandbox/inventory'];
/** How many earlier responses are searched for a price. */
const MAX_SEARCHED = 100;

/** Explains an expired quote or a stale price by what happened before it; null for other rejections. */
export function causeOf(entry: RequestLogEntry, world: World, log: RequestLog): string | null {
  if (entry.code === 'quote_expired') return causeOfExpiry(entry, world, log);
  return entry.code === 'price_mismatch' ? causeOfStalePrice(entry, world, log) : null;
}

function causeOfExpiry(entry: RequestLogEntry, world: World, log: RequestLog): string | null {
  const token = bodyObject(entry.request).quote_id;
  if (typeof token !== 'string') return null;
  const quote = world.read((tx) => findByToken(tx, token));
  if (!quote) return null;
  if (hasBehavior(quote.environment, quote.domain, 'quote_expires')) {
    return `Quotes of the magic domain ${quote.domain} are expired when they are created.`;
  }
  const id = requestOfQuote(log, token);
  const first = id === null ? 0 : (log.find(id)?.seq ?? 0);
  const [move] = log.list(
    { api: 'control', status: '2xx', endpoints: CLOCK_MOVES, from: quote.createdAt },
    { before: entry.seq, limit: 1 },
  );
  const age = formatDuration(entry.at - quote.createdAt);
  const created = id === null ? 'The quote was created' : `${id} created the quote`;
  const moved = move && move.seq > first ? `; ${nameOf(move)} moved the clock` : '';
  return `${created} ${age} of sandbox time before this request, at ${isoTime(quote.createdAt)}${moved}.`;
}

function causeOfStalePrice(entry: RequestLogEntry, world: World, log: RequestLog): string | null {
  const { domain } = world.read((tx) => withSubjects(tx, entry));
  const { expected_price, sale_price_cents, quote_id } = bodyObject(entry.request);
  const price = expected_price ?? sale_price_cents;
  if (domain === null || typeof price !== 'number' || quote_id != null) return null;
  if (entry.environment === 'SANDBOX' && hasBehavior('SANDBOX', domain, 'price_moves')) {
    return `The price of the magic domain ${domain} changes after every read.`;
  }
  const shown = log
    .list(
      { api: 'partner', status: '2xx', names: domain, text: `price_cents":${price}` },
      { before: entry.seq, limit: MAX_SEARCHED },
    )
    .find(({ response }) => showsPrice(bodyObject(response), domain, price));
  const [change] = log.list(
    {
      api: 'control',
      status: '2xx',
      reads: false,
      endpoints: LISTING_CHANGES,
      names: domain,
    },
    { before: entry.seq, limit: 1 },
  );
  const facts = [
    ...(shown ? [`${nameOf(shown)} showed the price ${price} at ${isoTime(shown.at)}`] : []),
    ...(change && change.seq > (shown?.seq ?? 0)
      ? [`${nameOf(change)} changed it at ${isoTime(change.at)}`]
      : []),
  ];
  return facts.length === 0 ? null : `${facts.join('; ')}.`;
}

/** Whether a response shows the price of a domain: search, availability, pricing and quotes do. */
function showsPrice(body: Record<string, unknown>, domain: string, price: number): boolean {
  const { domains: found } = body;
  const items: Record<string, unknown>[] = Array.isArray(found) ? found : [body];
  return items.some(
    (item) => item.domain === domain && (item.price_cents ?? item.buy_now_price_cents) === price,
  );
}

function nameOf(entry: RequestLogEntry): string {
  return `${entry.requestId} (${entry.method} ${shortTarget(entry)})`;
}
