import type { Context } from 'hono';
import { CodedError, forbidden } from '../../kernel/errors.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { parseQuery } from '../../signing/canonical.ts';
import type { Credential } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Worlds } from '../../world/worlds.ts';
import { type Endpoint, LostReply } from '../endpoint.ts';
import { jsonObject, parseInput, parseQueryInput } from '../input.ts';
import { type RawRequest, rawRequest } from '../raw-request.ts';
import { errorReply, type Reply, respond } from '../reply.ts';
import { authenticate } from './authenticate.ts';
import { answerOnce } from './idempotency.ts';
import { meetMagic } from './magic.ts';
import { useNonce } from './nonce.ts';
import { admitWithinRate, type RateLimits } from './rate-limit.ts';
import { type Route, routesOf } from './routes.ts';

export interface PartnerDoorOptions {
  endpoints: readonly Endpoint[];
  worlds: Worlds;
  runtime: Runtime;
  rateLimits: RateLimits;
  /** Known once the port is bound. */
  baseUrl(): string;
  /** Told of errors that nobody foresaw. */
  report(error: unknown): void;
}

/** A request that has passed every check up to its own content. */
interface Admitted {
  request: RawRequest;
  rawBody: Buffer;
  credential: Credential;
  route: Route;
  input: Input;
  /** How long a magic domain holds the answer back, real ms. */
  delayMs: number;
}

/** Query and body read once; what is wrong with a body is said when its turn comes. */
interface Input {
  query: [name: string, value: string][];
  body: Record<string, unknown> | CodedError;
}

/**
 * The partner API's one way in. Order of checks (decisions, "Errors"): body size, authentication headers,
 * timestamp, key, signature, nonce, route, scope, affiliate/approval, rate limit, idempotency, validation,
 * business rules. Whatever the answer, it is sent after the commit.
 */
export function partnerDoor(options: PartnerDoorOptions): (c: Context) => Promise<Response> {
  const { worlds, runtime, report } = options;
  const requireRoute = routesOf(options.endpoints);

  async function answer(request: RawRequest): Promise<Reply> {
    const rawBody = await request.body();
    const { world, credential, nonce } = authenticate(request, rawBody, {
      worlds,
      realNow: runtime.now(),
      baseUrl: options.baseUrl(),
    });
    const outcome = await world.enter((tx) => {
      useNonce(tx, credential.keyId, nonce);
      const route = requireRoute(request.method, request.path);
      authorise(route.endpoint, credential);
      const { rateClass } = route.endpoint;
      admitWithinRate(tx, credential.keyId, rateClass, options.rateLimits[rateClass]);
      const input = readInput(request, rawBody, route.endpoint);
      const delayMs = meetMagic(credential.environment, domainsNamed(route, input));
      const admitted: Admitted = { request, rawBody, credential, route, input, delayMs };
      return delayMs > 0 ? admitted : perform(tx, admitted, options.baseUrl());
    });
    if (!('delayMs' in outcome)) return outcome;
    await runtime.sleep(outcome.delayMs);
    if (worlds.findKey(credential.keyId)?.world !== world) {
      throw new CodedError(
        'invalid_signature',
        'X-Service-Key-Id: revoked while the answer was held back',
      );
    }
    return world.enter((tx) => perform(tx, outcome, options.baseUrl()));
  }

  return async function handlePartnerRequest(c) {
    const request = rawRequest(c);
    const reply = await answer(request).catch((error: unknown) => errorReply(error, report));
    if (!reply.lost) return respond(c, reply);
    return request.drop();
  };
}

/** @throws forbidden */
function authorise(endpoint: Endpoint, credential: Credential): void {
  if (!endpoint.scopes.some((scope) => credential.scopes.includes(scope))) {
    throw forbidden(
      `this endpoint needs the scope ${endpoint.scopes.join(' or ')}; the credential holds ${credential.scopes.join(', ') || 'none'}`,
    );
  }
  if (endpoint.affiliate && !credential.affiliate) {
    throw forbidden('this endpoint needs a credential that is linked to an affiliate account');
  }
  if (credential.environment === 'LIVE' && !credential.approved) {
    throw forbidden('production access is not approved for this LIVE credential');
  }
}

function perform(tx: Tx, admitted: Admitted, baseUrl: string): Reply {
  const { request, rawBody, credential, route } = admitted;
  const { endpoint } = route;
  const act = () => callHandler(tx, admitted, baseUrl);
  if (endpoint.method === 'GET') return act();
  return tx.atomically(() => {
    if (!endpoint.idempotent) return act();
    const header = request.header('idempotency-key');
    return answerOnce(tx, credential.keyId, header, rawBody, act);
  });
}

function callHandler(tx: Tx, admitted: Admitted, baseUrl: string): Reply {
  const { credential, route, input } = admitted;
  const { endpoint } = route;
  const { partnerId, environment } = credential;
  if (endpoint.body && input.body instanceof CodedError) throw input.body;
  const result = endpoint.handle({
    tx,
    credential,
    owner: { partnerId, environment },
    params: endpoint.params ? parseInput(endpoint.params, route.params) : {},
    query: endpoint.query ? parseQueryInput(endpoint.query, input.query) : {},
    body: endpoint.body ? parseInput(endpoint.body, input.body) : {},
    baseUrl,
  });
  const lost = result instanceof LostReply;
  return { status: endpoint.status, body: JSON.stringify(lost ? result.body : result), lost };
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
