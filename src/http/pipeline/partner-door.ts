import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InjectedFault } from '../../faults/magic-effects.ts';
import { CodedError, forbidden } from '../../kernel/errors.ts';
import { onePerTick } from '../../kernel/one-per-tick.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { RequestLogs } from '../../requests/request-logs.ts';
import type { Trace } from '../../requests/trace.ts';
import { parseQuery } from '../../signing/canonical.ts';
import type { Credential } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { DEFAULT_WORLD, type Worlds } from '../../world/worlds.ts';
import { type Call, type Endpoint, LostReply } from '../endpoint.ts';
import { jsonObject, parseInput, parseQueryInput } from '../input.ts';
import { type RawRequest, rawRequestOver } from '../raw-request.ts';
import { errorReply, type Reply, send } from '../reply.ts';
import { type Authenticated, authenticate, SignatureMismatchError } from './authenticate.ts';
import { answerOnce } from './idempotency.ts';
import { delayBefore, injectConnectionFault, injectError, matchFaults } from './inject-fault.ts';
import { useNonce } from './nonce.ts';
import { admitWithinRate, type RateLimits } from './rate-limit.ts';
import { type Route, routesOf } from './routes.ts';
import { Visit } from './visit.ts';

export interface PartnerDoorOptions {
  endpoints: readonly Endpoint[];
  worlds: Worlds;
  runtime: Runtime;
  rateLimits: RateLimits;
  /** Known once the port is bound. */
  baseUrl(): string;
  requests: RequestLogs;
  /** Aborts when the server closes: answers that are held back are given then. */
  closing: AbortSignal;
  /** Told of every request, before it is looked at. */
  onRequest(): void;
  /** Told of errors that nobody foresaw. */
  report(error: unknown): void;
}

export interface PartnerDoor {
  /** The answer to whatever came. */
  take(request: RawRequest): Promise<Reply>;
  /** Answers a request over its socket. */
  serve(incoming: IncomingMessage, outgoing: ServerResponse): void;
}

/** A request that has passed every check up to its own content. */
interface Admitted {
  visit: Visit;
  request: RawRequest;
  rawBody: Buffer;
  credential: Credential;
  route: Route;
  input: Input;
  fault: InjectedFault | undefined;
}

/** Query and body read once; what is wrong with a body is said when its turn comes. */
interface Input {
  query: [name: string, value: string][];
  body: Record<string, unknown> | CodedError;
}

/**
 * The partner API's one way in. Order of checks (decisions, "Errors"): body size, authentication headers,
 * timestamp, key, signature, nonce, route, scope, affiliate/approval, rate limit, idempotency, validation,
 * business rules. Faults and magic domains are injected right before idempotency. Whatever the answer, it is
 * sent after the commit.
 */
export function partnerDoor(options: PartnerDoorOptions): PartnerDoor {
  const { worlds, runtime, report } = options;
  const requireRoute = routesOf(options.endpoints);
  const sleep = (ms: number) => runtime.sleep(ms, options.closing);
  const diagnosisTick = onePerTick();

  /** @param injected takes the fault of the request once its hit is durable */
  async function answer(
    request: RawRequest,
    visit: Visit,
    injected: { fault?: InjectedFault },
  ): Promise<Reply> {
    const { trace } = visit;
    trace.check('body');
    const rawBody = await request.body();
    visit.read(rawBody);
    const surroundings = { worlds, realNow: runtime.now(), baseUrl: options.baseUrl() };
    let authenticated: Authenticated;
    try {
      authenticated = authenticate(request, rawBody, surroundings, visit);
    } catch (error) {
      if (!(error instanceof SignatureMismatchError)) throw error;
      await diagnosisTick();
      throw error.diagnose();
    }
    const { world, credential, nonce } = authenticated;
    const outcome = await world.enter((tx) => {
      useNonce(tx, credential.keyId, nonce);
      trace.check('route');
      const route = requireRoute(request.method, request.path);
      visit.routed(route.endpoint);
      authorise(route.endpoint, credential, trace);
      const { rateClass } = route.endpoint;
      const limit = options.rateLimits[rateClass];
      trace.check('rate_limit');
      admitWithinRate(tx, credential.keyId, rateClass, limit, trace);
      const input = readInput(request, rawBody, route.endpoint);
      const named = domainsNamed(route, input);
      const fault = matchFaults(tx, credential, route, named, trace);
      if (fault) tx.afterCommit(() => Object.assign(injected, { fault }));
      const admitted: Admitted = { visit, request, rawBody, credential, route, input, fault };
      return delayBefore(fault) > 0 ? admitted : perform(tx, admitted, options.baseUrl());
    });
    if (!('fault' in outcome)) return outcome;
    await sleep(delayBefore(outcome.fault));
    if (worlds.findKey(credential.keyId)?.world !== world) {
      trace.check('key');
      throw new CodedError(
        'invalid_signature',
        'X-Service-Key-Id: revoked while the answer was held back',
      );
    }
    return world.enter((tx) => perform(tx, outcome, options.baseUrl()));
  }

  /** The answer to whatever came, already in the log. */
  async function take(request: RawRequest): Promise<Reply> {
    options.onRequest();
    const home = worlds.require(DEFAULT_WORLD);
    const visit = new Visit('partner', request, home, runtime.now(), runtime.monotonic());
    const injected: { fault?: InjectedFault } = {};
    const whole = await answer(request, visit, injected).catch((error: unknown) => {
      visit.trace.fail(error);
      return errorReply(error, report);
    });
    const reply = injected.fault
      ? await injectConnectionFault(injected.fault, whole, sleep)
      : whole;
    visit.answered(reply, runtime.monotonic());
    options.requests.of(visit.world).append(visit.report());
    return reply;
  }

  return {
    take,
    serve(incoming, outgoing) {
      const request = rawRequestOver(incoming);
      take(request)
        .then((reply) => (reply.lost ? request.drop() : send(incoming, outgoing, reply)))
        .catch((error: unknown) => send(incoming, outgoing, errorReply(error, report)));
    },
  };
}

/** @throws forbidden */
function authorise(endpoint: Endpoint, credential: Credential, trace: Trace): void {
  trace.check('scope');
  if (!endpoint.scopes.some((scope) => credential.scopes.includes(scope))) {
    trace.note({ holds: credential.scopes });
    throw forbidden(
      `this endpoint needs the scope ${endpoint.scopes.join(' or ')}; the credential holds ${credential.scopes.join(', ') || 'none'}`,
    );
  }
  if (endpoint.affiliate) trace.check('affiliate');
  if (endpoint.affiliate && !credential.affiliate) {
    throw forbidden('this endpoint needs a credential that is linked to an affiliate account');
  }
  if (credential.environment === 'LIVE') trace.check('approval');
  if (credential.environment === 'LIVE' && !credential.approved) {
    throw forbidden('production access is not approved for this LIVE credential');
  }
}

function perform(tx: Tx, admitted: Admitted, baseUrl: string): Reply {
  return injectError(admitted.fault) ?? performWhole(tx, admitted, baseUrl);
}

function performWhole(tx: Tx, admitted: Admitted, baseUrl: string): Reply {
  const { visit, request, rawBody, credential, route } = admitted;
  const { endpoint } = route;
  const act = () => callHandler(tx, admitted, baseUrl);
  if (endpoint.method === 'GET') return act();
  const reply = tx.refusingFirst(() => {
    if (!endpoint.idempotent) return act();
    const header = request.header('idempotency-key');
    return answerOnce(tx, credential.keyId, header, rawBody, visit.trace, act);
  });
  visit.did(tx.deeds);
  return reply;
}

function callHandler(tx: Tx, admitted: Admitted, baseUrl: string): Reply {
  const { visit, credential, route, input } = admitted;
  const { endpoint } = route;
  const { partnerId, environment } = credential;
  visit.trace.check('validation');
  if (endpoint.body && input.body instanceof CodedError) throw input.body;
  const call: Call = {
    tx,
    credential,
    owner: { partnerId, environment },
    params: endpoint.params ? parseInput(endpoint.params, route.params) : {},
    query: endpoint.query ? parseQueryInput(endpoint.query, input.query) : {},
    body: endpoint.body ? parseInput(endpoint.body, input.body) : {},
    baseUrl,
  };
  visit.trace.check('rules');
  const result = endpoint.handle(call);
  const lost = result instanceof LostReply;
  const body = JSON.stringify(endpoint.response.view(lost ? result.row : result));
  return { status: endpoint.status, body, lost };
}

function readInput(request: RawRequest, rawBody: Buffer, endpoint: Endpoint): Input {
  const query = request.query === '' ? [] : parseQuery(request.query);
  if (!endpoint.body) return { query, body: {} };
  try {
    return { query, body: jsonObject(rawBody, request.header('content-type')) };
  } catch (error) {
    if (error instanceof CodedError) return { query, body: error };
    throw error;
  }
}

/** Every place where a call can name a domain: its path, its query, a search for it, its body. */
function domainsNamed({ params }: Route, { query, body }: Input): string[] {
  const named: unknown[] = [params.name, body instanceof CodedError ? undefined : body.domain];
  for (const [name, value] of query) if (name === 'domain' || name === 'q') named.push(value);
  return named.filter((name) => typeof name === 'string');
}
