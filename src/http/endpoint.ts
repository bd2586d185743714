import type { z } from 'zod';
import type { ErrorCode } from '../kernel/errors.ts';
import { lazily } from '../kernel/lazily.ts';
import type { Resource } from '../kernel/resource.ts';
import type { Credential, Owner } from '../store/schema/partners.ts';
import type { Scope } from '../store/schema/words.ts';
import type { Tx } from '../store/transaction.ts';
import type { RateClass } from './rate-class.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** What a handler gets: validated input, and the transaction to work in. */
export interface Call<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> {
  tx: Tx;
  credential: Credential;
  /** Whose data it may touch. */
  owner: Owner;
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
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

/** One way to fill in a body whose members do not all go together. */
export interface BodyVariant {
  /** Name of its schema in the OpenAPI document. */
  name: string;
  says: string;
  /** Members that it cannot do without, beside those that every way needs. */
  required: readonly string[];
  /** Members that have one value in it. */
  fixed?: Readonly<Record<string, string>>;
}

/** One endpoint of the partner API: all that routing, checks and documents need to know of it. */
export interface Endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Row = unknown,
> {
  /** What generated clients call it: the `operationId` of the OpenAPI document. */
  name: string;
  group: (typeof GROUPS)[number];
  method: Method;
  /** Whole path; `:name` marks a parameter. */
  path: string;
  /** One sentence, in the specification's words. */
  summary: string;
  /** Holding any one of them is enough. */
  scopes: readonly Scope[];
  rateClass: RateClass;
  /** Needs a credential that is linked to an affiliate account. */
  affiliate?: boolean;
  /** Needs an Idempotency-Key, under which its answer replays. */
  idempotent?: boolean;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Ways to fill the body in, where its schema alone does not say. */
  bodyVariants?: readonly BodyVariant[];
  /** Parameters and members of the body that the specification does not name. */
  chosenInputs?: readonly string[];
  /** What is this emulator's choice in it, where the specification is silent. */
  choice?: string;
  /**
   * Codes that it can respond with, besides those of authentication, scope and rate limit, and when; empty
   * where the general meaning says enough.
   */
  errors: Partial<Record<ErrorCode, string>>;
  /** Status of success; a POST that creates answers 201. */
  status: 200 | 201;
  /** The body of a success. */
  response: Resource<object, Row>;
  /** Returns the row that the response shows. */
  handle(call: Call<Params, Query, Body>): Row | LostReply<Row>;
}

/** The codes that an endpoint declares. */
export function errorCodesOf({ errors }: Pick<Endpoint, 'errors'>): ErrorCode[] {
  return Object.keys(errors) as ErrorCode[];
}

/** An endpoint as it is written down: its schemas are made when they are first asked for, not at every start. */
type Declaration<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Row,
> = Omit<Endpoint<Params, Query, Body, Row>, 'params' | 'query' | 'body'> & {
  params?: () => Params;
  query?: () => Query;
  body?: () => Body;
};

/** Declares an endpoint; the types of its input follow from its schemas. */
export function endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Row = unknown,
>(declaration: Declaration<Params, Query, Body, Row>): Endpoint {
  const { params, query, body, ...declared } = declaration;
  for (const [name, make] of Object.entries({ params, query, body })) {
    if (make) Object.defineProperty(declared, name, { get: lazily<z.ZodObject>(make) });
  }
  // The door hands over what these very schemas made, so the handler's narrower input is honest.
  return declared as unknown as Endpoint;
}

/** What a handler returns to have its response dropped: the row is recorded, then the connection closed. */
export class LostReply<Row = unknown> {
  readonly row: Row;
  constructor(row: Row) {
    this.row = row;
  }
}
