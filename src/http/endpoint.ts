import type { z } from 'zod';
import type { ErrorCode } from '../kernel/errors.ts';
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

/** One endpoint of the partner API: all that routing, checks and documents need to know of it. */
export interface Endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> {
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
  /** Codes that this endpoint gives beyond those of authentication, scope and rate limit. */
  errors: readonly ErrorCode[];
  /** Status of success; a POST that creates answers 201. */
  status: 200 | 201;
  handle(call: Call<Params, Query, Body>): object;
}

/** Declares an endpoint; the types of its input follow from its schemas. */
export function endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
>(declaration: Endpoint<Params, Query, Body>): Endpoint {
  // The door hands over what these very schemas made, so the handler's narrower input is honest.
  return declaration as unknown as Endpoint;
}

/** What a handler returns to have its answer lost on the way: recorded, then the connection cut. */
export class LostReply {
  readonly body: object;
  constructor(body: object) {
    this.body = body;
  }
}
