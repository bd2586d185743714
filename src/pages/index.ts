import { Hono } from 'hono';
import { showProgress } from './brokerage/progress.tsx';
import { showCancelled, showCheckout, submitCheckout } from './checkout/checkout.ts';
import { showReceipt } from './checkout/receipt.tsx';
import { respond, serveAssets } from './layout.tsx';
import { failurePage } from './notice.tsx';
import { logPageViews, type PageViewOptions } from './page-views.ts';
import { buyFromLandingPage, followLink, showLandingPage } from './referral/referral.ts';

export interface PagesOptions extends PageViewOptions {
  /** Origin under which a proxy serves these pages. */
  publicUrl: string | undefined;
  /** Called with unexpected errors. */
  report(error: unknown): void;
}

/** Creates the pages that buyers see. They work without scripts. */
export function hostedPages({ report, publicUrl, ...options }: PagesOptions): Hono {
  const { worlds, requests } = options;
  const app = new Hono();
  serveAssets(app);
  for (const path of ['/checkout/*', '/r/*', '/l/*', '/brokerage/*']) {
    app.use(path, logPageViews(options));
  }
  app.get('/checkout', (c) => showCheckout(c, worlds));
  app.post('/checkout', (c) => submitCheckout(c, { worlds, publicUrl }));
  app.get('/checkout/receipt', (c) => showReceipt(c, worlds));
  app.get('/checkout/cancelled', (c) => showCancelled(c, worlds));
  app.get('/r/:code', (c) => followLink(c, { worlds, publicUrl }));
  app.get('/l/:code', (c) => showLandingPage(c, worlds));
  app.post('/l/:code/buy', (c) => buyFromLandingPage(c, { worlds, publicUrl }));
  app.get('/brokerage/:token', (c) => showProgress(c, worlds));
  app.onError((error, c) => {
    const redact = (message: string) => requests.redact(message);
    const page = failurePage(error, { report, redact });
    // The unread rest of the body would be taken for the next request.
    return respond(c, page, page.status === 413 ? { Connection: 'close' } : {});
  });
  return app;
}
