import { z } from 'zod';
import type { ErrorCode } from '../kernel/errors.ts';
import { lazily } from '../kernel/lazily.ts';
import type { Resource } from '../kernel/resource.ts';
import type { RateClass, Scope } from '../store/schema/enums.ts';
import type { Credential, Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** What endpoints of both APIs have. */
export interface EndpointBase<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Row = unknown,
> {
  /** The `operationId` of the OpenAPI document; set by `named`. */
  name: string;
  method: Method;
  /** `:name` marks a parameter. */
  path: string;
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Status of success; a POST that creates responds with 201. */
  status: 200 | 201;
  /** The body of a success; absent if the handler returns a Response of its own. */
  response?: Resource<object, Row>;
}

export interface EndpointInput<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
> {
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
}

/** A declaration without route and response. Functions make its schemas on first use, not at every start. */
export type EndpointDeclaration<
  Base,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
> = Omit<Base, keyof EndpointBase> & {
  summary: string;
  params?: () => Params;
  query?: () => Query;
  body?: () => Body;
  status?: 201;
};

/** The parameters of a path, as text. */
export type PathParams<Path extends string> = z.ZodObject<{
  [Name in NamesIn<Path>]: z.ZodString;
}>;
type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Schemas = Partial<Record<'params' | 'query' | 'body', () => z.ZodObject>>;

/** Makes an endpoint whose schemas are built on first use; `{ ...endpoint }` lacks them. Path parameters default to text. */
export function declare(
  method: Method,
  path: string,
  { params = textParams(path), query, body, ...fields }: Schemas & { summary: string },
): EndpointBase {
  const endpoint: EndpointBase = { name: '', method, path, status: 200, ...fields };
  for (const [name, schema] of Object.entries({ params, query, body })) {
    if (schema) Object.defineProperty(endpoint, name, { get: lazily<z.ZodObject>(schema) });
  }
  return endpoint;
}

function textParams(path: string): (() => z.ZodObject) | undefined {
  const names = [...path.matchAll(/(?<![\w-])([\w-]+)\/:(\w+)/g)].map(
    ([, noun = '', name = '']) => [name, z.string().describe(describeParam(noun, name))],
  );
  return names.length > 0 ? () => z.object(Object.fromEntries(names)) : undefined;
}

/** Nouns of paths that are not the plural of what they list. */
const NOUNS: Readonly<Record<string, string>> = {
  brokerage: 'brokerage case',
  settlements: 'settlement statement',
  deliveries: 'delivery',
};

function describeParam(noun: string, name: string): string {
  const singular = NOUNS[noun] ?? noun.replace(/s$/, '').replaceAll('-', ' ');
  return `${{ name: 'Name', key_id: 'Key ID' }[name] ?? 'ID'} of the ${singular}.`;
}

/** Names endpoints by their keys, which become the operation ids of the OpenAPI document. */
export function named<Table extends Record<string, EndpointBase>>(table: Table): Table {
  for (const [name, endpoint] of Object.entries(table)) endpoint.name = name;
  return table;
}

export function errorCodesOf({ errors = {} }: Pick<Endpoint, 'errors'>): ErrorCode[] {
  return Object.keys(errors) as ErrorCode[];
}

export interface Call<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> extends EndpointInput<Params, Query, Body> {
  tx: Tx;
  credential: Credential;
  owner: Owner;
  /** Address at which the sandbox is reached, without a trailing slash. */
  baseUrl: string;
}

/** The specification's groups of endpoints, in its order. */
export const GROUPS = [
  'Discovery',
  'Partner-collected sales',
  'Marketplace-collected sales',
  'Settlement, history, refunds',
  'Brokerage',
  'Referral and reporting',
  'Webhooks and events',
] as const;

/** An endpoint of the partner API. */
export interface Endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Row = unknown,
> extends EndpointBase<Params, Query, Body, Row> {
  group: (typeof GROUPS)[number];
  /**
   * Error codes beyond those of every endpoint (`errors.always` in `openapi/partner-document.ts`). The causes are for
   * readers of the source, and empty if the general meaning of the code says enough.
   */
  errors?: Partial<Record<ErrorCode, string>>;
  /** Scopes, any one of which is enough. */
  scopes: readonly Scope[];
  rateClass: RateClass;
  /** Requires a credential that is linked to an affiliate account. */
  requiresAffiliate?: true;
  /** Requires an Idempotency-Key; a repeated request replays the response. */
  idempotent?: true;
  /** Parameters and fields of the body that sandlot chose: the specification does not name them. */
  chosenInputs?: readonly string[];
  /** Describes what sandlot chose where the specification is silent. */
  choiceNote?: string;
  response: Resource<object, Row>;
  /** Returns the row that the response shows. */
  handle(call: Call<Params, Query, Body>): Row;
  /** Whether the connection is closed in place of the response, after the commit. */
  losesResponse?(row: Row): boolean;
}

export const get = forMethod('GET');
export const post = forMethod('POST');
export const put = forMethod('PUT');

/**
 * Makes a function that declares endpoints of one method. The types of their input follow from their schemas. Without a
 * rate class, the limit `default` applies.
 */
function forMethod(method: Method) {
  return <
    const Path extends string,
    Query extends z.ZodObject = z.ZodObject,
    Body extends z.ZodObject = z.ZodObject,
    Row = unknown,
    Params extends z.ZodObject = PathParams<Path>,
  >(
    path: Path,
    declaration: Omit<
      EndpointDeclaration<Endpoint<Params, Query, Body, Row>, Params, Query, Body>,
      'rateClass'
    > & { rateClass?: RateClass; response: Resource<object, Row> },
  ): Endpoint => {
    const withDefaults = { rateClass: 'default', ...declaration };
    // The pipeline passes the output of these schemas, so the narrower input of the handler is sound.
    return declare(method, path, withDefaults) as Endpoint;
  };
}
