import { z } from 'zod';
import { domainName, pageQuery, text } from '../http/fields.ts';
import type { CountedPage, Resource } from '../kernel/resource.ts';
import { partnerIdOf, withPartner } from '../market/partners/credentials.ts';
import { type ListFilter, mapPage, type PageRequest } from '../store/paging.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import { type ControlContext, type EndpointOf, get } from './endpoint.ts';

/** A list of what partners have. */
interface List<Path extends string = string> {
  /** Below `/_sandbox`; an item is at `path/:id`. */
  path: Path;
  /** The noun of an item in texts. */
  singular: string;
  /** The states of an item, if it has any. */
  status?: readonly [string, ...string[]];
  /** False if an item is not about a domain. */
  hasDomain?: boolean;
}

interface ReadCall {
  tx: Tx;
  context: ControlContext;
}

type OfPartner = { partnerId: string };
type WithPartner<Row> = Row & { partner: string };

interface ResponseDeclaration<Out, Row> {
  response: Resource<Out, Row>;
  /** Describes the response, in addition to the summary. */
  description?: string;
}

/** Declares the endpoint of a list, with the partner's name in each row. */
export function listEndpoint<Out extends object, Row extends OfPartner, Path extends string>(
  list: List<Path>,
  {
    rows,
    ...declaration
  }: ResponseDeclaration<Out, CountedPage<WithPartner<Row>>> & {
    rows(call: ReadCall, filter: ListFilter, page: PageRequest): CountedPage<Row>;
  },
): EndpointOf<Out, `GET ${Path}`> {
  return get(list.path, {
    summary: `List the ${list.singular}s of every partner, newest first.`,
    ...declaration,
    query: () => listQuery(list),
    read: ({ tx, context, query }) => {
      // `listQuery` names its fields as `ListFilter` does. A field with another name would filter nothing.
      const { partner_id: partner, cursor, limit, ...filter } = query as unknown as ListQuery;
      const partnerId = partner === undefined ? undefined : partnerIdOf(tx, partner);
      const page = rows({ tx, context }, { ...filter, partnerId }, { cursor, limit });
      return mapPage(page, (row) => withPartner(tx, row));
    },
  });
}

/** Declares the endpoint of one item of a list. */
export function showEndpoint<Out extends object, Row extends OfPartner, Path extends string>(
  { path, singular }: List<Path>,
  {
    row,
    ...declaration
  }: ResponseDeclaration<Out, WithPartner<Row>> & { row(call: ReadCall, id: string): Row },
): EndpointOf<Out, `GET ${Path}/:id`> {
  return get(`${path}/:id`, {
    summary: `Show ${/^[aeiou]/.test(singular) ? 'an' : 'a'} ${singular}.`,
    ...declaration,
    read: ({ tx, context, params }) =>
      withPartner(tx, row({ tx, context }, (params as { id: string }).id)),
  });
}

interface ListQuery extends PageRequest, Omit<ListFilter, 'partnerId'> {
  partner_id?: string;
}

function listQuery({ singular, status, hasDomain = true }: List): z.ZodObject {
  const only = `Only ${singular}s`;
  return z.object({
    ...(hasDomain && { domain: domainName().optional().describe(`${only} of this domain.`) }),
    ...(status && { status: z.enum(status).optional().describe(`${only} in this state.`) }),
    partner_id: text().optional().describe(`${only} of this partner, by name or ID.`),
    environment: z
      .enum(ENVIRONMENTS)
      .optional()
      .describe(`${only} of this environment, SANDBOX or LIVE.`),
    ...pageQuery(),
  });
}
