import { and, not, or, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { listAllEvents } from '../events/events.ts';
import { pageQuery, requiredText } from '../http/fields.ts';
import { normalizeDomain } from '../kernel/addresses.ts';
import { hasHeaderValue, hasText } from '../requests/conditions.ts';
import { cursorAfter, type Page, type PageRequest, readCursor } from '../store/paging.ts';
import { EVENT_TYPES } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import { listDeliveries } from '../webhooks/list-deliveries.ts';
import { type ControlCall, get, named } from './endpoint.ts';
import { deliveryMatch, eventMatch, findById, findByName, requestMatch } from './find-objects.ts';
import { findResultPage, type Match } from './find-result.ts';
import { aboutDomain, readWhere } from './where.ts';

export const findEndpoints = named({
  getFind: get('/find', {
    summary: 'Find an object by ID or name, or requests, events and deliveries by text.',
    description:
      'An ID of any kind, a domain, a key ID, an `external_payment_ref`, an Idempotency-Key or a nonce leads to its object. Other text is searched in requests, events and deliveries. Filters are those of `GET /requests`, and find requests only.',
    query: () =>
      z.object({
        q: requiredText(500).describe('ID, name, text or filters.'),
        ...pageQuery(),
      }),
    response: findResultPage,
    handle: (call) => call.world.read((tx) => find(tx, call, call.query)),
  }),
});

function find(
  tx: Tx,
  { world, context }: Pick<ControlCall, 'world' | 'context'>,
  { q, ...page }: PageRequest & { q: string },
): Page<Match> {
  const { conditions, text } = readWhere(q, { field: 'q', now: tx.now, takesText: true });
  const isFiltered = conditions.length > 0;
  const object = isFiltered ? undefined : findById(text, world, context);
  if (object) return { rows: [object], next_cursor: null };

  // An event type looks like a domain.
  const domain = EVENT_TYPES.some((type) => type === text) ? undefined : normalizeDomain(text);
  const start = Number(readCursor(tx, 'find', page) ?? 0);
  const end = start + page.limit;
  // One more than the page needs, to know whether another one follows.
  const limit = end + 1;
  const requestsWith = (...where: (SQL | undefined)[]) =>
    context.requests
      .list(world, { where: and(...conditions, ...where), limit })
      .map((entry) => requestMatch(world, entry));
  // A nonce or Idempotency-Key, which may look like a domain or begin a longer one.
  const isValue = hasHeaderValue(text);
  // In requests, a domain matches only as a whole name. If `q` spells it otherwise (`x.io.`, an IDN), that text matches too.
  // Events and deliveries are searched for the text as it is.
  const isAbout = domain === undefined ? undefined : aboutDomain(domain);
  const hasPart = text.toLowerCase() === domain ? undefined : hasText(text);
  const rows = isFiltered
    ? requestsWith(hasText(text))
    : [
        ...findByName(tx, text, domain, context),
        ...requestsWith(isValue),
        ...requestsWith(or(isAbout, hasPart), not(isValue)),
        ...listAllEvents(tx, { text }, { limit }).rows.map((row) => eventMatch(tx, row)),
        ...listDeliveries(tx, { text }, { limit }).rows.map((row) => deliveryMatch(tx, row)),
      ];
  const next_cursor = rows.length > end ? cursorAfter(tx, 'find', String(end)) : null;
  return { rows: rows.slice(start, end), next_cursor };
}
