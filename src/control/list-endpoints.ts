import { z } from 'zod';
import { isoTimeText, oneOf, pageQuery, partOfDomain, text } from '../http/fields.ts';
import type { CountedPage, Resource } from '../kernel/resource.ts';
import { partnerIdOf, withPartner } from '../market/partners/credentials.ts';
import { type ListFilter, mapPage, type PageRequest } from '../store/paging.ts';
import type { Tx } from '../store/transaction.ts';
import type { World } from '../world/world.ts';
import { type ControlContext, type EndpointOf, get } from './endpoint.ts';
import type { Filter, List } from './lists.ts';

export interface ReadCall {
  tx: Tx;
  world: World;
  context: ControlContext;
}

interface HasPartnerId {
  partnerId: string;
}

type WithPartner<Row> = Row & { partner: string };

interface Declaration<Out, Row> {
  response: Resource<Out, Row>;
  /** Describes the response, in addition to the summary. */
  description: string;
}

/** Declares the endpoint of a list, with the partner's name in each row. */
export function listEndpoint<Out extends object, Row extends HasPartnerId, Path extends string>(
  list: List<Path>,
  {
    rows,
    ...declaration
  }: Declaration<Out, CountedPage<WithPartner<Row>>> & {
    rows(call: ReadCall, filter: ListFilter, page: PageRequest): CountedPage<Row>;
  },
): EndpointOf<Out, `GET ${Path}`> {
  return get(list.path, {
    summary: `List the ${list.plural} of every partner, newest first.`,
    ...declaration,
    query: () => listQuery(list),
    read: ({ tx, world, context, query }) => {
      const { cursor, limit, ...filter } = query as PageRequest & Record<string, unknown>;
      const page = rows({ tx, world, context }, listFilter(tx, filter), { cursor, limit });
      return mapPage(page, (row) => withPartner(tx, row));
    },
  });
}

/** Declares the endpoint of one item of a list. */
export function showEndpoint<Out extends object, Row extends HasPartnerId, Path extends string>(
  { path, singular }: List<Path>,
  {
    row,
    ...declaration
  }: Declaration<Out, WithPartner<Row>> & { row(call: ReadCall, id: string): Row },
): EndpointOf<Out, `GET ${Path}/:id`> {
  return get(`${path}/:id`, {
    summary: `Show ${/^[aeiou]/.test(singular) ? 'an' : 'a'} ${singular}.`,
    ...declaration,
    read: ({ tx, world, context, params }) =>
      withPartner(tx, row({ tx, world, context }, (params as { id: string }).id)),
  });
}

function listQuery({ filters, plural }: List): z.ZodObject {
  const shape = Object.entries(filters).map(([name, filter]) => [
    name,
    schemaOf(filter).optional().describe(`${filter.summary}.`),
  ]);
  return z.object({ ...Object.fromEntries(shape), ...timesOf(plural), ...pageQuery() });
}

/** Query parameters that narrow a list to a range of time. */
export function timesOf(plural: string) {
  return {
    from: isoTimeText().optional().describe(`Only ${plural} at or after this time.`),
    to: isoTimeText().optional().describe(`Only ${plural} before this time.`),
  };
}

function schemaOf({ values, kind }: Filter): z.ZodType {
  if (values) return oneOf(values as readonly [string, ...string[]]);
  return kind === 'domain' ? partOfDomain() : text();
}

/** Reads the parameters of a list. A partner is found by name or id. */
function listFilter(tx: Tx, query: Readonly<Record<string, unknown>>): ListFilter {
  const { partner_id: partner, payment_model: paymentModel, ...filter } = query;
  const partnerId = typeof partner === 'string' ? partnerIdOf(tx, partner) : undefined;
  return { ...filter, partnerId, paymentModel } as ListFilter;
}
