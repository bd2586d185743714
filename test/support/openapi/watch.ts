import { ControlClient } from '../../../src/client/control-client.ts';
import type { Fetch } from '../../../src/client/fetch.ts';
import { sendSigned, signPartnerRequest } from '../../../src/client/partner-client.ts';
import type { InProcessSandbox } from '../../../src/index.ts';
import { type Runtime, systemRuntime } from '../../../src/kernel/runtime.ts';
import { type Allowance, createValidator, type Validator } from './validator.ts';

let validator: Validator | undefined;
let problems: string[] = [];

/** What was answered against the documents since this was last asked. */
export function takeViolations(): string[] {
  const taken = problems;
  problems = [];
  return [...new Set(taken)];
}

/** The same sandbox; every answer that it gives is held against the documents. */
export function documented(
  at: InProcessSandbox,
  { runtime = systemRuntime, ...allowance }: Allowance & { runtime?: Runtime | undefined } = {},
): InProcessSandbox {
  const fetch = documentedFetch(at.fetch, allowance);
  return {
    ...at,
    fetch,
    control: new ControlClient({ baseUrl: at.url, fetch }),
    call: (request, key = at.credential) =>
      sendSigned(fetch, signPartnerRequest(at.url, key, request, runtime.now())),
  };
}

/** A `fetch` that holds what it hears of a sandbox against the documents. */
export function documentedFetch(fetch: Fetch, allowance?: Allowance): Fetch {
  return async (target, init) => {
    const response = await fetch(target, init);
    const sent = typeof init?.body === 'string' ? init.body : bytesAsText(init?.body);
    await hear({ method: init?.method ?? 'GET', target, sent }, response, allowance);
    return response;
  };
}

/** Holds one answer against the documents. Its body stays unread. */
export async function hear(
  request: { method: string; target: string; sent: string | undefined },
  response: Response,
  allowance?: Allowance,
): Promise<void> {
  const path = request.target.replace(/^https?:\/\/[^/]*/, '').replace(/[?#].*$/s, '');
  if (!/^\/(?:api\/partner|_sandbox)(?:\/|$)/.test(path)) return;
  const contentType = response.headers.get('content-type');
  const isJson = contentType?.startsWith('application/json') ?? false;
  validator ??= createValidator();
  problems.push(
    ...validator.violations(
      {
        ...request,
        path,
        status: response.status,
        contentType,
        retryAfter: response.headers.get('retry-after'),
        body: isJson ? await response.clone().text() : undefined,
      },
      allowance,
    ),
  );
}

function bytesAsText(body: unknown): string | undefined {
  return body instanceof Uint8Array ? Buffer.from(body).toString() : undefined;
}
