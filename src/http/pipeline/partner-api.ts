import { type Context, Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { CodedError } from '../../kernel/errors.ts';
import { isSameCredential } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Endpoint } from '../endpoint.ts';
import { rawRequest } from '../request.ts';
import { type ApiResponse, errorResponse, loggedResponse, respond } from '../response.ts';
import { type PartnerApiOptions, RequestContext } from './context.ts';
import { delayBefore, injectConnectionFault } from './inject-fault.ts';
import { ADMIT, RECEIVE, RESPOND, type Step } from './steps.ts';

/** Creates the partner API: every request runs through the steps of `steps.ts`, then into the request log. */
export function createPartnerApi(api: PartnerApiOptions): Hono {
  async function handleRequest(c: Context, endpoint: Endpoint | undefined): Promise<Response> {
    const request = rawRequest(c);
    const params = endpoint && rawParams(endpoint.path, request.path);
    const route = params && { endpoint, params };
    const context = new RequestContext(api, request, route);
    const { entry, trace } = context;
    let response: ApiResponse;
    try {
      for (const { check, run } of RECEIVE) {
        trace.check(check);
        // Most steps do not wait, and an await of each would slow down every request.
        const promise = run(context);
        if (promise) await promise;
      }
      const hookPromise = api.hooks?.beforeHandling(context);
      if (hookPromise) await hookPromise;
      // Entries are redacted when they are written: before a PUT can replace a webhook secret that they contain.
      if (request.method === 'PUT') api.requests.flush();
      const result = context.world.transaction((tx) => {
        runSteps(ADMIT, context, tx);
        return delayBefore(context) > 0 ? undefined : respondInTransaction(tx, context);
      }, entry);
      if (result instanceof CodedError) throw result;
      response = result ?? (await respondAfterDelay(context));
    } catch (error) {
      trace.fail(error);
      response = errorResponse(error, api);
    }
    if (context.fault) response = await injectConnectionFault(context, context.fault, response);
    api.onResponse(response);
    api.hooks?.beforeResponse(context);
    log(context, response);
    return respond(c, response);
  }

  /**
   * Responds after the injected delay, unless the world was reset or the credential revoked meanwhile: neither the new
   * state nor a new credential of the same key ID must get the order.
   */
  async function respondAfterDelay(context: RequestContext): Promise<ApiResponse> {
    const { world, entry, credential } = context;
    const { stateVersion } = world;
    await api.runtime.sleep(delayBefore(context), api.closing);
    return world.transaction((tx) => {
      const known = api.worlds.keys.find(credential.keyId)?.credential;
      if (world.stateVersion !== stateVersion || !isSameCredential(known, credential)) {
        throw new CodedError(
          'internal_error',
          'the world was reset or restored, or the credential revoked, while the response was delayed',
        );
      }
      return runSteps(RESPOND, context, tx) ?? context.response;
    }, entry);
  }

  // Hono's default would first try its RegExpRouter, which rejects some of these paths.
  const app = new Hono({ router: new TrieRouter() });
  for (const endpoint of api.endpoints) {
    app.on(endpoint.method, endpoint.path, (c) => handleRequest(c, endpoint));
  }
  // Also matches `/api/partner`.
  app.all('/api/partner/*', (c) => handleRequest(c, undefined));
  return app;
}

/** Adds the request to the log of the world of its key, even if it failed before the key was checked. */
function log({ api, entry }: RequestContext, response: ApiResponse): void {
  // A request that was rejected before it ran has a place in the order too: its key may have been revoked just before.
  if (entry.runs.length === 0 && !entry.world.isClosed) entry.world.recordRun(entry);
  api.requests.append(entry.world, entry.toEntry(loggedResponse(response)));
}

/**
 * Returns the parameters of a path as sent, not decoded.
 * @returns undefined if the path is not spelled like the pattern: Hono resolves dot segments and escapes
 */
function rawParams(pattern: string, path: string): Record<string, string> | undefined {
  const segments = path.split('/');
  const names = pattern.split('/');
  if (names.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const segment = segments[at] ?? '';
    if (name.startsWith(':')) params[name.slice(1)] = segment;
    else if (name !== segment) return undefined;
  }
  return params;
}

/** Runs steps in order; stops at the first that returns a response. */
function runSteps(
  steps: readonly Step[],
  context: RequestContext,
  tx: Tx,
): ApiResponse | undefined {
  for (const { check, applies, run } of steps) {
    if (applies && !applies(context)) continue;
    if (check) context.trace.check(check);
    const response = run(context, tx);
    if (response) return response;
  }
  return undefined;
}

/** Responds in the transaction of ADMIT. Returns an error if a fault has counted the request: a throw would undo the count. */
function respondInTransaction(tx: Tx, context: RequestContext): ApiResponse | CodedError {
  const runResponse = () => runSteps(RESPOND, context, tx) ?? context.response;
  if (!context.isCountedByFault) return runResponse();
  try {
    return tx.savepoint(runResponse);
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}
