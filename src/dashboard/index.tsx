import { type Context, Hono } from 'hono';
import type { ControlApiOptions } from '../control/control-api.ts';
import { type GuardOptions, guardOrigin, isAdmitted } from '../control/guard.ts';
import { startSession } from '../control/session.ts';
import { isOverHttps, parseForm, rawRequest } from '../http/request.ts';
import { CodedError, notFound } from '../kernel/errors.ts';
import { signaturesEqual } from '../signing/signature.ts';
import { htmlResponse } from '../ui/document.tsx';
import { DEFAULT_WORLD } from '../world/files.ts';
import { serveAssets } from './assets.ts';
import { type PageContext, PageProvider, type RenderedPage, type ToolPages } from './page.tsx';
import { errorPage, signInPage } from './pages/access.tsx';
import { MENU, renderersOf } from './pages/index.ts';
import { Shell, SinglePage } from './shell.tsx';

export type DashboardOptions = Omit<ControlApiOptions, 'endpoints'>;

/**
 * Creates the dashboard: pages rendered from control API responses, and a script that calls the control API. It is
 * guarded like the control API. Its paths include `/_sandbox`.
 */
export function dashboard({ context, guard, report }: DashboardOptions, tools: ToolPages[]): Hono {
  const pages = tools.flatMap(({ menu = [] }) => menu);
  const menu = pages.length === 0 ? MENU : [...MENU, { heading: 'Tools', pages }];
  const pageOfError = (error: unknown, page?: PageContext): RenderedPage => {
    if (error instanceof CodedError) return errorPage(error.status, error.message, page);
    report(error);
    return errorPage(500, 'The error is in the sandbox. See its log for details.');
  };
  const app = new Hono();
  // Before the guards, since the sign-in page needs the stylesheet.
  const assets = serveAssets(app, tools);
  const showSingle = ({ title, content, status }: RenderedPage) =>
    respond(
      <SinglePage title={title} stylesheet={assets.stylesheet}>
        {content}
      </SinglePage>,
      status,
    );
  app.use('*', async (c, next) => {
    guardOrigin(c, guard);
    c.header('X-Content-Type-Options', 'nosniff');
    await next();
  });
  app.all('/_sandbox/dashboard/session', (c) => signIn(c, guard, showSingle));
  const aliases = ['/_sandbox', '/_sandbox/dashboard', '/_sandbox/dashboard/'];
  app.on('GET', aliases, (c) => c.redirect(`/_sandbox/${new URL(c.req.url).search}`, 302));
  app.use('*', async (c, next) => {
    if (isAdmitted(c, guard)) return next();
    const { pathname, search } = new URL(c.req.url);
    return showSingle(signInPage(pathname + search));
  });
  for (const [route, render] of renderersOf(menu)) {
    app.get(`/_sandbox${route}`, async (c) => {
      const { world = DEFAULT_WORLD, ...query } = c.req.query();
      const id = c.req.param('id') ?? '';
      const page: PageContext = {
        context,
        world: context.worlds.require(world),
        path: c.req.path.replace(/^\/_sandbox/, ''),
        query,
        menu,
        toolParts: (kind) =>
          Promise.all(tools.flatMap((tool) => tool[kind]?.[route]?.(page, id) ?? [])),
      };
      const rendered = await render(page, id).catch((error) => pageOfError(error, page));
      if (rendered.redirect !== undefined) return c.redirect(rendered.redirect, 302);
      return respond(
        <PageProvider value={page}>
          <Shell title={rendered.title} assets={assets}>
            {rendered.content}
          </Shell>
        </PageProvider>,
        rendered.status,
      );
    });
  }
  app.notFound((c) => {
    return showSingle(pageOfError(notFound(`The dashboard has no page at ${c.req.path}.`)));
  });
  app.onError((error) => showSingle(pageOfError(error)));
  return app;
}

function respond(document: ReturnType<typeof Shell>, status?: number): Promise<Response> {
  return htmlResponse(document, {
    status,
    policy:
      "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'",
    headers: {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  });
}

/** Exchanges the token for a cookie, so that neither URLs nor logs hold it, and opens the page that `to` names. */
async function signIn(
  c: Context,
  { token, publicUrl }: GuardOptions,
  showSingle: (page: RenderedPage) => Promise<Response>,
) {
  const form = parseForm((await rawRequest(c).body()).toString());
  const { to = '' } = c.req.query();
  const page = /^\/_sandbox\/[!-~]*$/.test(to) ? to : '/_sandbox/';
  if (token !== undefined && c.req.method === 'POST') {
    if (!signaturesEqual(token, form.get('token') ?? '')) {
      return showSingle(signInPage(page, 'The token is incorrect.'));
    }
    startSession(c, token, isOverHttps(c, publicUrl));
  }
  return c.redirect(page, 303);
}
