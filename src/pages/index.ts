import { Hono } from 'hono';
import { serveAssets } from './assets.ts';
import { showProgress } from './brokerage/progress.tsx';
import { showCancelled } from './checkout/cancelled.ts';
import { showReceipt } from './checkout/receipt.tsx';
import { showCheckout } from './checkout/show.ts';
import { submitCheckout } from './checkout/submit.ts';
import { failurePage } from './failure.tsx';
import { buyFromLander } from './referral/buy.ts';
import { followLink } from './referral/follow.ts';
import { showLander } from './referral/lander.ts';
import { reply } from './reply.tsx';
import { logVisits, type VisitorOptions } from './visits.ts';

export interface PagesOptions extends VisitorOptions {
  /** Origin under which a proxy serves these pages. */
  publicUrl: string | undefined;
  /** Told of errors that nobody foresaw. */
  report(error: unknown): void;
}

/** The pages that buyers see. They need no script; HEAD answers as GET does. */
export function hostedPages({ report, publicUrl, ...visitors }: PagesOptions): Hono {
  const { worlds } = visitors;
  const app = new Hono();
  serveAssets(app);
  for (const path of ['/checkout/*', '/r/*', '/l/*', '/brokerage/*']) {
    app.use(path, logVisits(visitors));
  }
  app.get('/checkout', (c) => showCheckout(c, worlds));
  app.post('/checkout', (c) => submitCheckout(c, { worlds, publicUrl }));
  app.get('/checkout/receipt', (c) => showReceipt(c, worlds));
  app.get('/checkout/cancelled', (c) => showCancelled(c, worlds));
  app.get('/r/:code', (c) => followLink(c, worlds));
  app.get('/l/:code', (c) => showLander(c, worlds));
  app.post('/l/:code/buy', (c) => buyFromLander(c, { worlds, publicUrl }));
  app.get('/brokerage/:token', (c) => showProgress(c, worlds));
  app.onError((error, c) => {
    const page = failurePage(error, {
      report,
      redact: (message) => visitors.requests.redact(message),
    });
    // What was refused unread would be taken for the next request.
    if (page.status === 413) c.header('Connection', 'close');
    return reply(c, page);
  });
  return app;
}
