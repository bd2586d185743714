/** Takes what the global `fetch` takes, and paths. Does not follow redirects. */
export type InProcessFetch = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

/** Makes a `fetch` that calls a function instead of the network. @param baseUrl of paths, without a trailing slash */
export function inProcessFetch(
  baseUrl: string,
  respond: (request: Request) => Promise<Response>,
): InProcessFetch {
  return async (input, init) => {
    const isPath = typeof input === 'string' && input.startsWith('/');
    const request = new Request(isPath ? baseUrl + input : input, ofThisRealm(init));
    const canAbort = Boolean(init?.signal) || input instanceof Request;
    return canAbort ? abortable(request, respond, input) : respond(request);
  };
}

/** Replaces a signal of jsdom, which `Request` does not take. */
function ofThisRealm(init: RequestInit | undefined): RequestInit | undefined {
  const signal = init?.signal;
  if (!signal || signal instanceof AbortSignal) return init;
  const foreign: AbortSignal = signal;
  const controller = new AbortController();
  const abort = () => controller.abort(foreign.reason);
  if (foreign.aborted) abort();
  else foreign.addEventListener('abort', abort, { once: true });
  return { ...init, signal: controller.signal };
}

/** Responds until the request's signal aborts: then this, or reading the body, rejects with the reason of the signal. */
async function abortable(
  request: Request,
  respond: (request: Request) => Promise<Response>,
  input: unknown,
): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  const responding = respond(request);
  try {
    const response = await Promise.race([responding, aborted.promise]);
    if (!response.body) return response;
    const { readable, writable } = new TransformStream();
    // Keeps both requests alive: the signal of a request that is garbage no longer follows that of the caller.
    response.body.pipeTo(writable, { signal }).catch(() => [input, request]);
    return new Response(readable, response);
  } catch (error) {
    // A stream that is not read would stay open.
    responding.then(({ body }) => body?.cancel()).catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
