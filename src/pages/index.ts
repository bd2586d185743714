import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { rawRequest } from '../http/request.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { sessionOfToken } from '../market/checkout/sessions.ts';
import { splitPublicCode } from '../market/referrals/links.ts';
import { worldOfUrlToken } from '../market/row-token.ts';
import { LogEntryBuilder } from '../requests/entry-builder.ts';
import type { RequestLog } from '../requests/request-log.ts';
import { publicAssets } from '../ui/assets.ts';
import { DEFAULT_WORLD } from '../world/files.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';
import { showProgress } from './brokerage/progress.tsx';
import { showCheckout, submitCheckout } from './checkout/checkout.ts';
import { showReceipt } from './checkout/closed-pages.tsx';
import { failurePage, pageResponse } from './layout.tsx';
import { PAGE_ENTRY } from './page-request.ts';
import { buyFromLandingPage, followLink, showLandingPage } from './referral/referral.ts';

interface PagesOptions extends PageViewOptions {
  /** Origin under which a proxy serves these pages. */
  publicUrl: string | undefined;
  /** Called with unexpected errors. */
  report(error: unknown): void;
}

/** Creates the pages that buyers see. They work without scripts. */
export function hostedPages({ report, publicUrl, ...options }: PagesOptions): Hono {
  const app = new Hono();
  app.get('/assets/:version/:name', async (c, next) => {
    return publicAssets().respond(c.req.param('version'), c.req.param('name')) ?? next();
  });
  // `readForm` and `respondInWorld` need the log entry, so every page is below one of these paths.
  for (const path of ['/checkout/*', '/r/*', '/l/*', '/brokerage/*']) {
    app.use(path, logPageViews(options));
  }
  app.get('/checkout', showCheckout);
  app.post('/checkout', (c) => submitCheckout(c, publicUrl));
  app.get('/checkout/receipt', showReceipt);
  app.get('/r/:code', (c) => followLink(c, publicUrl));
  app.get('/l/:code', showLandingPage);
  app.post('/l/:code/buy', (c) => buyFromLandingPage(c, publicUrl));
  app.get('/brokerage/:token', showProgress);
  app.onError((error, c) => pageResponse(c, failurePage(error, { report })));
  return app;
}

interface PageViewOptions {
  worlds: Worlds;
  requests: RequestLog;
  runtime: Runtime;
}

/** Logs page views in the request log of the world that the URL names. */
function logPageViews({ worlds, requests, runtime }: PageViewOptions): MiddlewareHandler {
  return async function logPageView(c, next) {
    const world = worldOf(c, worlds);
    const entry = new LogEntryBuilder('page', rawRequest(c), world, runtime);
    // `/checkout` for `/checkout/receipt`: codes and tokens are left out.
    const page = c.req.path.split('/').slice(0, 2).join('/');
    entry.trace.check('route', { page, ...(page === '/checkout' && sessionOf(c, world)) });
    c.set(PAGE_ENTRY, entry);
    await next();
    if (c.error) entry.trace.fail(c.error);
    const { status, headers } = c.res;
    const body = textOf(await c.res.clone().text());
    requests.append(world, entry.toEntry({ status, headers: [...headers], body }));
  };
}

const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** Returns what a page says, without values of fields and countries, whose names depend on Node.js; JSON as it is. */
function textOf(html: string): string {
  if (html.startsWith('{')) return html; // of an unknown path
  return html
    .replace(/<option[^<]*<\/option>|<[^<>]*>/g, ' ')
    .replace(/&(\w+|#39);/g, (escaped, name) => CHARACTERS[name] ?? escaped)
    .replace(/ +/g, ' ')
    .trim();
}

/** Returns the checkout session that a page shows, and whose it is. */
function sessionOf({ req }: Context, world: World) {
  const session = world.read((tx) => sessionOfToken(tx, req.query('pt') ?? ''));
  if (!session) return undefined;
  const { id, partnerId, environment } = session;
  return { session_id: id, partner_id: partnerId, environment };
}

/** Returns the world that the code or token of the URL names; the default world if it names none. */
function worldOf(c: Context, worlds: Worlds): World {
  const [, page, code = ''] = c.req.path.split('/');
  const token = page === 'checkout' ? (c.req.query('pt') ?? '') : code;
  const isReferral = page === 'r' || page === 'l';
  const name = isReferral ? splitPublicCode(token).worldName : worldOfUrlToken(token);
  return worlds.find(name) ?? worlds.require(DEFAULT_WORLD);
}
