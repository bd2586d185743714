import type { Context, MiddlewareHandler } from 'hono';
import { rawRequest } from '../http/hono-adapter.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { sessionOfToken } from '../market/checkout/sessions.ts';
import { splitPublicCode } from '../market/referrals/links.ts';
import { worldOfAddress } from '../market/row-token.ts';
import { LogEntryBuilder } from '../requests/entry-builder.ts';
import type { RequestLogs } from '../requests/request-logs.ts';
import type { World } from '../world/world.ts';
import { DEFAULT_WORLD, type Worlds } from '../world/worlds.ts';
import { FORM_BODY, PAGE_INPUT } from './page-input.ts';

export interface PageViewOptions {
  worlds: Worlds;
  requests: RequestLogs;
  runtime: Runtime;
}

/** Logs page views in the request log of the world that the URL names. */
export function logPageViews(options: PageViewOptions): MiddlewareHandler {
  const { worlds, requests, runtime } = options;
  return async function logPageView(c, next) {
    const world = worldOf(c, worlds);
    const entry = new LogEntryBuilder('page', rawRequest(c), world, runtime);
    const page = c.req.path.split('/').slice(0, 2).join('/');
    entry.trace.check('route', { page, ...(page === '/checkout' && sessionOf(c, world)) });
    c.set(PAGE_INPUT, entry);
    await next();
    entry.setBody((c.get(FORM_BODY) as Buffer | undefined) ?? Buffer.alloc(0));
    if (c.error) entry.trace.fail(c.error);
    // The page itself is not kept.
    const { status, headers } = c.res;
    requests.of(world).append(entry.finish({ status, headers: [...headers], body: '' }));
  };
}

/** Returns the checkout session that a page shows, and whose it is. */
function sessionOf({ req }: Context, world: World) {
  const session = world.read((tx) => sessionOfToken(tx, req.query('pt') ?? ''));
  if (!session) return undefined;
  const { id, partnerId, environment } = session;
  return { session_id: id, partner_id: partnerId, environment };
}

function worldOf(c: Context, worlds: Worlds): World {
  const [, page, code = ''] = c.req.path.split('/');
  const token = page === 'checkout' ? (c.req.query('pt') ?? '') : code;
  const isLink = page === 'r' || page === 'l';
  const name = isLink ? splitPublicCode(token).worldName : worldOfAddress(token);
  return worlds.find(name) ?? worlds.require(DEFAULT_WORLD);
}
