import { z } from 'zod';
import { listAllEvents } from '../events/events.ts';
import { pageQuery, requiredText } from '../http/fields.ts';
import { normalizeDomain } from '../kernel/addresses.ts';
import type { RequestFilter } from '../requests/list-requests.ts';
import { cursorAfter, type PageRequest, readCursor } from '../store/paging.ts';
import { EVENT_TYPES } from '../store/schema/enums.ts';
import { listDeliveries } from '../webhooks/list-deliveries.ts';
import type { World } from '../world/world.ts';
import { callControl } from './call-control.ts';
import { type ControlContext, get, named } from './endpoint.ts';
import {
  findById,
  findByName,
  isId,
  matchOf,
  noSuchId,
  requestMatch,
  titleOfDelivery,
  titleOfEvent,
} from './find-objects.ts';
import { findPage, type Match } from './find-result.ts';
import { orderEndpoints } from './orders.ts';
import { searchRequests } from './requests.ts';
import { aboutDomain, DELIVERY_FILTERS, REQUEST_FILTERS, readWhere } from './where.ts';

export const findEndpoints = named({
  getFind: get('/find', {
    summary:
      'Find an object by ID or name, or requests, events and deliveries by text and filters.',
    description:
      'An ID of any kind, a domain, a key ID, an `external_payment_ref`, an Idempotency-Key or a nonce leads to its object. Other text is searched in requests, events and deliveries. Filters are those of `GET /requests`; deliveries are searched if they have all of them. 404 `not_found` for an ID that no world has.',
    query: () =>
      z.object({
        q: requiredText(500).describe('ID, name, text or filters.'),
        ...pageQuery(),
      }),
    response: findPage,
    handle: ({ world, context, query: { q, ...page } }) => find(q, world, context, page),
  }),
});

interface Results {
  rows: Match[];
  next_cursor: string | null;
}

/** Finds one kind of result. */
type Stage = (page: PageRequest) => Promise<Results> | Results;

async function find(
  q: string,
  world: World,
  context: ControlContext,
  page: PageRequest,
): Promise<Results> {
  const now = world.clock.now();
  const { allOf, text } = readWhere(q, REQUEST_FILTERS, { field: 'q', now, takesText: true });
  const isFiltered = allOf.length > 0;
  const singlePage = (rows: Match[]) => ({ rows, next_cursor: null });
  if (!isFiltered && isId(text)) return singlePage(await findId(text, world, context));
  const isName = !isFiltered && !text.includes(' ');
  // An event type looks like a domain.
  const isDomain = isName && !EVENT_TYPES.some((type) => type === text);
  const domain = isDomain ? normalizeDomain(text) : undefined;
  const requestFilter: RequestFilter =
    domain === undefined ? { text: text || undefined } : aboutDomain(domain);
  const deliveryFilters = filtersOfDeliveries(q, world);
  const stages: Record<string, Stage> = {
    objects: async () => {
      if (!isName) return singlePage([]);
      const objects = findByName(text, world, context);
      return singlePage([
        ...objects,
        ...(domain === undefined ? [] : await ordersOf(domain, world, context)),
      ]);
    },
    requests: async (page) => {
      const list = await searchRequests(world, context, { ...requestFilter, allOf }, page);
      return { ...list, rows: list.rows.map((entry) => requestMatch(world, entry)) };
    },
    events: (page) =>
      world.read((tx) => {
        if (isFiltered) return singlePage([]);
        const list = listAllEvents(tx, { text }, page);
        const rows = list.rows.map((row) =>
          matchOf(world, 'event', { id: row.id, title: titleOfEvent(row) }),
        );
        return { ...list, rows };
      }),
    deliveries: (page) =>
      world.read((tx) => {
        if (!deliveryFilters) return singlePage([]);
        const list = listDeliveries(tx, { text: text || undefined, allOf: deliveryFilters }, page);
        const rows = list.rows.map((row) =>
          matchOf(world, 'delivery', { id: row.id, title: titleOfDelivery(tx, row) }),
        );
        return { ...list, rows };
      }),
  };
  return inStages(stages, world, page);
}

async function findId(id: string, world: World, context: ControlContext): Promise<Match[]> {
  const results = findById(id, world, context);
  if (results.length > 0) return results;
  for (const eachWorld of [world, ...context.worlds.list()]) {
    const [entry] = context.requests.list(eachWorld, { names: id }, { limit: 1 });
    if (entry) throw noSuchId(id, requestMatch(eachWorld, entry));
    const [event] = eachWorld.read((tx) => listAllEvents(tx, { subjectId: id }, { limit: 1 })).rows;
    if (event) throw noSuchId(id, matchOf(eachWorld, 'event', { id: event.id, title: event.type }));
  }
  throw noSuchId(id, undefined);
}

async function ordersOf(domain: string, world: World, context: ControlContext): Promise<Match[]> {
  const at = { world, context };
  const { orders } = await callControl(orderEndpoints.listOrders, at, {
    query: { domain, limit: '10' },
  });
  return orders.map(({ public_id: id, status }) =>
    matchOf(world, 'order', { id, title: `${domain} ${status}` }),
  );
}

/** Returns the filters for deliveries; undefined if one of them is only for requests. */
function filtersOfDeliveries(q: string, world: World) {
  const options = { field: 'q', now: world.clock.now(), takesText: true };
  try {
    return readWhere(q, DELIVERY_FILTERS, options).allOf;
  } catch {
    return undefined;
  }
}

/** Concatenates the lists of the stages. A cursor is the name of a stage and the cursor of its list. */
async function inStages(
  stages: Readonly<Record<string, Stage>>,
  world: World,
  page: PageRequest,
): Promise<Results> {
  const { limit } = page;
  const names = Object.keys(stages);
  const position = world.read((tx) => readCursor(tx, 'find', page));
  const [name = '', ...cursorParts] = position?.split('.') ?? [];
  const firstIndex = position === undefined ? 0 : names.indexOf(name);
  const cursorAt = (stage: string, cursor = '') =>
    world.read((tx) => cursorAfter(tx, 'find', `${stage}.${cursor}`));
  const rows: Match[] = [];
  let stageCursor: string | undefined = cursorParts.join('.') || undefined;
  for (const stage of names.slice(firstIndex)) {
    if (rows.length >= limit) return { rows, next_cursor: cursorAt(stage) };
    const part = await stages[stage]?.({ cursor: stageCursor, limit: limit - rows.length });
    rows.push(...(part?.rows ?? []));
    if (part?.next_cursor) return { rows, next_cursor: cursorAt(stage, part.next_cursor) };
    stageCursor = undefined;
  }
  return { rows, next_cursor: null };
}
