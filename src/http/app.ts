import { type Context, Hono } from 'hono';
import { notFound } from '../kernel/errors.ts';
import { partnerHandler, respond } from './over-hono.ts';
import type { PartnerApi } from './pipeline/partner-api.ts';
import { ConnectionDropped } from './raw-request.ts';
import { type ErrorHandling, errorReply } from './reply.ts';

export interface AppOptions extends ErrorHandling {
  partner: PartnerApi;
  /** What answers below `/_sandbox`. */
  control: Hono;
  /** The pages that look at what answers there; their addresses are complete. */
  dashboard: Hono;
  /** The pages that buyers see. */
  pages: Hono;
}

/** Both doors in one application: the partner API and its hosted pages, and the control surface below `/_sandbox`. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  const partner = partnerHandler(options.partner);
  app.all('/api/partner', partner);
  app.all('/api/partner/*', partner);
  const dashboard = ({ req, env }: Context) => options.dashboard.fetch(req.raw, env);
  for (const path of ['/_sandbox', '/_sandbox/', '/_sandbox/dashboard/*', '/_sandbox/assets/*']) {
    app.get(path, dashboard);
  }
  app.post('/_sandbox/dashboard/session', dashboard);
  app.route('/_sandbox', options.control);
  app.route('/', options.pages);
  app.notFound((c) => {
    const refusal = notFound(
      `there is nothing at ${c.req.path}; the partner API is below /api/partner, the sandbox's own surface below /_sandbox`,
    );
    return respond(c, errorReply(refusal, options));
  });
  app.onError((error, c) => {
    // In process there is no socket to cut: the caller's fetch fails instead, as a client's would.
    if (error instanceof ConnectionDropped) throw error;
    return respond(c, errorReply(error, options));
  });
  return app;
}
