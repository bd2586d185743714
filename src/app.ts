import { type Context, Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { ControlClient } from './client/control-client.ts';
import { type ControlApiOptions, createControlApi } from './control/control-api.ts';
import { guardControl, guardOrigin, isAdmitted } from './control/guard.ts';
import type { DashboardOptions } from './dashboard/index.tsx';
import type { ToolPages } from './dashboard/page.tsx';
import { partnerEntry } from './http/pipeline/context.ts';
import { rawRequest } from './http/request.ts';
import { type ApiResponse, errorResponse, loggedResponse, toResponse } from './http/response.ts';
import { notFound } from './kernel/errors.ts';
import { lazilyAsync } from './kernel/lazily.ts';
import { hostedPages } from './pages/index.ts';
import { PAGE_ENTRY } from './pages/page-request.ts';

/** A path below `/_sandbox` with a protocol of its own. The checks of the control API precede it. */
export interface ToolRoute {
  path: `/${string}`;
  /** Loads the handler on the first request. @param control calls the same sandbox, in process */
  load(control: ControlClient): Promise<(request: Request) => Promise<Response>>;
}

interface AppOptions extends ControlApiOptions {
  toolRoutes: readonly ToolRoute[];
  /** Loads what tools add to the dashboard. */
  toolPages(): Promise<ToolPages[]>;
}

/** Creates the control API, the hosted pages, the dashboard and the reference: all but the partner API. */
export function createApp({ toolRoutes, ...options }: AppOptions): Hono {
  const { context, report } = options;
  // Hono would try another router first, which does not take these paths.
  const app = new Hono({ router: new TrieRouter() });
  app.get('/', (c, next) => (isBrowser(c) ? c.redirect('/_sandbox/', 302) : next()));
  app.get('/openapi.json', (c) => c.redirect('/_sandbox/openapi.json', 302));
  // Like the control API, it checks Host, origin and session itself.
  const dashboard = lazyDashboard(options);
  for (const path of ['/_sandbox', '/_sandbox/', '/_sandbox/dashboard/*', '/_sandbox/assets/*']) {
    app.get(path, dashboard);
  }
  app.post('/_sandbox/dashboard/session', dashboard);
  // Without the token, a browser gets the sign-in page.
  app.get('/_sandbox/reference', (c, next) =>
    isBrowser(c) && !isAdmitted(c, options.guard) ? dashboard(c) : next(),
  );
  app.get('/_sandbox/reference/assets/:version/:name', async (c, next) => {
    guardOrigin(c, options.guard);
    const { referenceAsset } = await context.reference();
    return referenceAsset(c.req.param('version'), c.req.param('name')) ?? next();
  });
  const control = new ControlClient({
    baseUrl: 'http://localhost',
    fetch: async (url, init) => app.fetch(new Request(url, init as RequestInit)),
    token: options.guard.token,
  });
  for (const { path, load } of toolRoutes) {
    const handler = lazilyAsync(() => load(control));
    app.all(`/_sandbox${path}`, async (c) => {
      guardControl(c, options.guard);
      return (await handler())(c.req.raw);
    });
  }
  // Takes all other paths below /_sandbox, so it comes after the dashboard and the tools.
  app.route('/_sandbox', createControlApi(options));
  app.route('/', hostedPages({ ...context, publicUrl: context.server.publicUrl, report }));
  app.notFound((c) => {
    const rejection = notFound(
      `${c.req.path} not found; the partner API is under /api/partner, the control API and the dashboard under /_sandbox`,
    );
    // A hosted page logs `c.error`, and the status of the Response that this returns.
    c.error = rejection;
    const response = errorResponse(rejection, { report });
    if (c.req.header('x-service-key-id')) logMisdirected(c, context, rejection, response);
    return toResponse(response);
  });
  // The sandbox, which passes its requests on, handles errors.
  app.onError((error) => {
    throw error;
  });
  return app;
}

/** Logs a request that names a key, but not a path of the partner API: `//api/partner/v1/orders`, `/v1/orders`. */
function logMisdirected(
  c: Context,
  context: AppOptions['context'],
  rejection: Error,
  response: ApiResponse,
): void {
  // Hosted pages log every request below their paths.
  if (c.get(PAGE_ENTRY) !== undefined) return;
  const entry = partnerEntry(rawRequest(c), context);
  entry.trace.check('route');
  entry.trace.fail(rejection);
  context.requests.append(entry.world, entry.toEntry(loggedResponse(response)));
}

function isBrowser({ req }: Context): boolean {
  return req.header('accept')?.includes('text/html') ?? false;
}

/** Loads the dashboard on its first request. */
function lazyDashboard({
  toolPages,
  ...options
}: DashboardOptions & Pick<AppOptions, 'toolPages'>) {
  const load = lazilyAsync(async () => {
    const { dashboard } = await import('./dashboard/index.tsx');
    return dashboard(options, await toolPages());
  });
  return async ({ req, env }: Context) => (await load()).fetch(req.raw, env);
}
