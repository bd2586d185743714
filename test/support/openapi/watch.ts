import { ControlClient } from '../../../src/client/control-client.ts';
import type { InProcessFetch } from '../../../src/client/in-process-fetch.ts';
import { sendSigned, signPartnerRequest } from '../../../src/client/partner-client.ts';
import type { InProcessSandbox } from '../../../src/index.ts';
import { type Runtime, systemRuntime } from '../../../src/kernel/runtime.ts';
import { createValidator, type Validator } from './validator.ts';

let validator: Validator | undefined;
let problems: string[] = [];
/** Whether the present test has added a fault: from then on any error may be given. */
let faults = false;

/** What was answered against the documents since this was last asked. */
export function takeViolations(): string[] {
  const taken = problems;
  problems = [];
  faults = false;
  return [...new Set(taken)];
}

/** The same sandbox; every response that it gives is held against the documents. */
export function documented(
  at: InProcessSandbox,
  runtime: Runtime = systemRuntime,
): InProcessSandbox {
  const fetch = documentedFetch(at.fetch);
  return {
    ...at,
    fetch,
    control: new ControlClient({ baseUrl: at.url, fetch }),
    call: (request, key = at.credential) =>
      sendSigned(fetch, signPartnerRequest(at.url, key, request, runtime.now())),
  };
}

/** A `fetch` that holds the responses of a sandbox against the documents. */
export function documentedFetch(fetch: InProcessFetch): InProcessFetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const copy = request?.clone();
    const response = await fetch(input, init);
    const sent = copy?.body
      ? await copy.text()
      : typeof init?.body === 'string'
        ? init.body
        : init?.body instanceof Uint8Array
          ? Buffer.from(init.body).toString()
          : undefined;
    const target = request?.url ?? String(input);
    const method = init?.method ?? request?.method ?? 'GET';
    await checkResponse({ method, target, sent }, response);
    return response;
  };
}

/** Holds one response against the documents. Its body stays unread. */
export async function checkResponse(
  request: { method: string; target: string; sent: string | undefined },
  response: Response,
): Promise<void> {
  const path = request.target.replace(/^https?:\/\/[^/]*/, '').replace(/[?#].*$/s, '');
  if (!/^\/(?:api\/partner|_sandbox)(?:\/|$)/.test(path)) return;
  // Pages for people and the protocol of agents are in no document.
  const { pathname } = new URL(path, 'http://localhost');
  if (/^\/_sandbox(?:\/?$|\/dashboard$|\/(?:dashboard|assets)\/|\/mcp$)/.test(pathname)) return;
  const contentType = response.headers.get('content-type');
  const isJson = contentType?.startsWith('application/json') ?? false;
  faults ||= request.method === 'POST' && path === '/_sandbox/faults' && response.ok;
  validator ??= createValidator();
  problems.push(
    ...validator.violations(
      {
        ...request,
        path,
        status: response.status,
        contentType,
        retryAfter: response.headers.get('retry-after'),
        // Reading along would change how the test sees a response break off.
        body: isJson && !faults ? await response.clone().text() : undefined,
      },
      { faults },
    ),
  );
}
