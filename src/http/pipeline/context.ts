import type { InjectedFault } from '../../faults/fault-effects.ts';
import type { CodedError } from '../../kernel/errors.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { LogEntryBuilder } from '../../requests/entry-builder.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import type { Trace } from '../../requests/trace.ts';
import type { Credential } from '../../store/schema/partners.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import type { World } from '../../world/world.ts';
import type { Worlds } from '../../world/worlds.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import type { RateLimits } from '../rate-limits.ts';
import type { RawRequest } from '../request.ts';
import type { ApiResponse } from '../response.ts';

/** Acts on requests from outside, as a tool in the process of its sandbox does. */
export interface RequestHooks {
  /** Holds up a request that is signed correctly, before its first transaction. */
  beforeHandling(context: RequestContext): Promise<void> | undefined;
  /** Called for every request, also a rejected one, after the commit and before the response is sent. */
  beforeResponse(context: RequestContext): void;
}

export interface PartnerApiOptions {
  endpoints: readonly Endpoint[];
  worlds: Worlds;
  runtime: Runtime;
  rateLimits: RateLimits;
  /** Known once the port is bound. */
  baseUrl(): string;
  requests: RequestLog;
  /** Aborts when the server closes: delayed responses are sent then. */
  closing: AbortSignal;
  /** Resolves when the webhooks of a world that are due are sent. */
  delivered(world: World): Promise<void>;
  /** Called with every response, before it is sent. */
  onResponse(response: ApiResponse): void;
  hooks?: RequestHooks | undefined;
  report(error: unknown): void;
}

interface SigningHeaders {
  keyId: string;
  timestamp: string;
  nonce: string;
  signature: string;
}

/** Path, query and body, parsed once. `validateInput` throws an error that is kept here. */
export interface Input {
  /** Decoded parameters of the path, or the error of a malformed percent escape. */
  params: Record<string, string> | CodedError;
  /** Decoded; `verifySignature` has rejected a malformed one. */
  query: [name: string, value: string][];
  /** An error if the body is not a JSON object. */
  body: Record<string, unknown> | CodedError;
}

/**
 * A partner API request on its way through the steps. Each step reads the fields of earlier steps and sets its own.
 * A field with `declare` is undefined until its step has run, so also in a request that an earlier step rejected.
 */
export class RequestContext {
  readonly api: PartnerApiOptions;
  readonly request: RawRequest;
  readonly route: Route | undefined;
  readonly entry: LogEntryBuilder;
  declare body: Buffer;
  declare signing: SigningHeaders;
  declare world: World;
  declare credential: Credential;
  declare bodySha256: string;
  declare endpoint: Endpoint;
  declare input: Input;
  fault: InjectedFault | undefined;
  /** Whether a fault has counted the request. The count is kept even if the request is rejected. */
  isCountedByFault = false;
  declare idempotencyKey: string;
  declare call: Call;
  declare response: ApiResponse;

  /** @param route undefined for an unknown path or method, which is rejected after authentication */
  constructor(api: PartnerApiOptions, request: RawRequest, route: Route | undefined) {
    this.api = api;
    this.request = request;
    this.route = route;
    this.entry = partnerEntry(request, api);
  }

  get trace(): Trace {
    return this.entry.trace;
  }
}

/** The endpoint that Hono found. */
export interface Route {
  endpoint: Endpoint;
  /** As in the path, not decoded. */
  params: Record<string, string>;
}

/** Begins the log entry of a partner API request, in the world of its key. */
export function partnerEntry(
  request: RawRequest,
  { worlds, runtime }: { worlds: Worlds; runtime: Runtime },
): LogEntryBuilder {
  const key = worlds.keys.find(request.header('x-service-key-id') ?? '');
  const world = key?.world ?? worlds.require(DEFAULT_WORLD);
  return new LogEntryBuilder('partner', request, world, runtime);
}
