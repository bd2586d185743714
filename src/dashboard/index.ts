import { type Context, Hono } from 'hono';
import type { ControlContext } from '../control/endpoint.ts';
import { type GuardOptions, guardOrigin, isAdmitted } from '../control/guard.ts';
import { endedSessionCookie, sameSecret, sessionCookie } from '../control/session.ts';
import { rawRequest } from '../http/hono-adapter.ts';
import { hostOf } from '../http/own-origin.ts';
import { CodedError, notFound } from '../kernel/errors.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';
import { serveDashboardAssets } from './assets.ts';
import { clockPage } from './pages/clock.tsx';
import { credentialsPage } from './pages/credentials.tsx';
import { deliveriesPage } from './pages/deliveries.tsx';
import { deliveryPage } from './pages/delivery.tsx';
import { eventsPage } from './pages/events.tsx';
import { faultsPage } from './pages/faults.tsx';
import { inventoryPage } from './pages/inventory.tsx';
import { orderPage } from './pages/order.tsx';
import { ordersPage } from './pages/orders.tsx';
import { overviewPage } from './pages/overview.tsx';
import { refusedView } from './pages/refused.tsx';
import { requestPage } from './pages/request.tsx';
import { requestsPage } from './pages/requests.tsx';
import { signInPage } from './pages/sign-in.tsx';
import { worldsPage } from './pages/worlds.tsx';
import type { Place } from './place.ts';
import { show, showBare, type View } from './reply.tsx';

export interface DashboardOptions {
  context: ControlContext;
  guard: GuardOptions;
  /** Told of errors that nobody foresaw. */
  report(error: unknown): void;
}

const PAGES: Record<string, (at: Place, id: string) => Promise<View>> = {
  '/': overviewPage,
  '/dashboard/requests': requestsPage,
  '/dashboard/requests/:id': requestPage,
  '/dashboard/orders': ordersPage,
  '/dashboard/orders/:id': orderPage,
  '/dashboard/events': eventsPage,
  '/dashboard/deliveries': deliveriesPage,
  '/dashboard/deliveries/:id': deliveryPage,
  '/dashboard/clock': clockPage,
  '/dashboard/faults': faultsPage,
  '/dashboard/inventory': inventoryPage,
  '/dashboard/credentials': credentialsPage,
  '/dashboard/worlds': worldsPage,
};

/**
 * The dashboard: pages that read what the control door answers, for a script that calls it. It owns no
 * logic, and is guarded as that door is. Its addresses are complete.
 */
export function dashboard({ context, guard, report }: DashboardOptions): Hono {
  const app = new Hono();
  serveDashboardAssets(app);
  app.use('*', async (c, next) => {
    guardOrigin(c, guard);
    c.header('X-Content-Type-Options', 'nosniff');
    await next();
  });
  app.post('/_sandbox/dashboard/session', (c) => signIn(c, guard));
  app.get('/_sandbox', (c) => c.redirect('/_sandbox/', 302));
  for (const [path, page] of Object.entries(PAGES)) {
    app.get(`/_sandbox${path}`, async (c) => {
      if (!isAdmitted(c, guard))
        return showBare(c, signInPage({ goOn: targetOf(c), wrong: false }));
      const at = placeOf(c, context, guard);
      return show(c, at, await page(at, c.req.param('id') ?? ''));
    });
  }
  app.notFound((c) =>
    showBare(
      c,
      refusedView(notFound(context.requests.redact(`No page has the address ${c.req.path}.`))),
    ),
  );
  app.onError((error, c) => {
    if (error instanceof CodedError) {
      const message = context.requests.redact(error.message);
      return showBare(c, refusedView({ status: error.status, message }));
    }
    report(error);
    const message = 'The fault is in the sandbox; its log says more.';
    return showBare(c, { ...refusedView({ status: 500, message }), title: 'Something went wrong' });
  });
  return app;
}

function placeOf(c: Context, context: ControlContext, { token }: GuardOptions): Place {
  const { world: name = DEFAULT_WORLD, ...query } = c.req.query();
  const world = context.worlds.require(name);
  const path = c.req.path.replace(/^\/_sandbox/, '');
  return { context, world, path, query, signedIn: token !== undefined };
}

/** The token becomes a cookie; neither stands in an address or a log. */
async function signIn(c: Context, { token }: GuardOptions) {
  const form = new URLSearchParams((await rawRequest(c).body()).toString());
  const goOn = ownPage(form.get('go_on') ?? '');
  if (token === undefined) return c.redirect(goOn, 303);
  if (form.has('leave')) {
    c.header('Set-Cookie', endedSessionCookie(hostOf(c).port));
    return c.redirect('/_sandbox/', 303);
  }
  if (!sameSecret(form.get('token') ?? '', token)) {
    return showBare(c, signInPage({ goOn, wrong: true }));
  }
  c.header('Set-Cookie', sessionCookie(token, hostOf(c).port));
  return c.redirect(goOn, 303);
}

/** Where to go on to: a page of the dashboard, whatever a form says. */
function ownPage(target: string): string {
  return /^\/_sandbox\/(?:dashboard\/[\w/%.-]*)?(?:\?[\w=&%.+*-]*)?$/.test(target)
    ? target
    : '/_sandbox/';
}

function targetOf(c: Context): string {
  const { pathname, search } = new URL(c.req.url);
  return pathname + search;
}
