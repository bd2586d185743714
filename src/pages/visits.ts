import type { Context, MiddlewareHandler } from 'hono';
import { rawRequest } from '../http/hono-adapter.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { splitPublicCode } from '../market/referrals/links.ts';
import { worldOfAddress } from '../market/row-token.ts';
import { LogEntryBuilder } from '../requests/entry-builder.ts';
import type { RequestLogs } from '../requests/request-logs.ts';
import type { World } from '../world/world.ts';
import { DEFAULT_WORLD, type Worlds } from '../world/worlds.ts';
import { POSTED } from './posted-form.ts';

export interface VisitorOptions {
  worlds: Worlds;
  requests: RequestLogs;
  runtime: Runtime;
}

/** Puts every visit of a hosted page into the request log of the world that its address names. */
export function logVisits({ worlds, requests, runtime }: VisitorOptions): MiddlewareHandler {
  return async function logVisit(c, next) {
    const world = worldOfPage(c, worlds);
    const entry = new LogEntryBuilder('page', rawRequest(c), world, runtime);
    entry.trace.check('route', { page: c.req.path.split('/').slice(0, 2).join('/') });
    await next();
    entry.setBody((c.get(POSTED) as Buffer | undefined) ?? Buffer.alloc(0));
    if (c.error) entry.trace.fail(c.error);
    // The page itself is not kept.
    const { status, headers } = c.res;
    requests.of(world).append(entry.finish({ status, headers: [...headers], body: '' }));
  };
}

/** The world that an address claims to belong to; `default` where there is none of that name. */
function worldOfPage(c: Context, worlds: Worlds): World {
  const [, page, code = ''] = c.req.path.split('/');
  const address = page === 'checkout' ? (c.req.query('pt') ?? '') : code;
  const isLink = page === 'r' || page === 'l';
  const name = isLink ? splitPublicCode(address).worldName : worldOfAddress(address);
  return worlds.find(name) ?? worlds.require(DEFAULT_WORLD);
}
