import { Hono } from 'hono';
import { type ControlDoorOptions, controlDoor } from './control/control-api.ts';
import { CONTROL_ENDPOINTS } from './control/index.ts';
import type { DashboardOptions } from './dashboard/index.ts';
import { createApp } from './http/app.ts';
import type { PartnerApi } from './http/pipeline/partner-api.ts';
import { lazilyAsync } from './kernel/lazily.ts';
import { hostedPages } from './pages/index.ts';

export interface DoorsOptions extends Omit<ControlDoorOptions, 'endpoints'> {
  partner: PartnerApi;
}

/**
 * Everything that answers, in one application. It is loaded when the first request comes that the partner door
 * does not take by itself: a first signed call need not wait for the rest.
 */
export function openDoors({ partner, ...steering }: DoorsOptions): Hono {
  const { machinery, report } = steering;
  return createApp({
    partner,
    control: controlDoor({ endpoints: CONTROL_ENDPOINTS, ...steering }),
    dashboard: lazyDashboard(steering),
    pages: hostedPages({ ...machinery, publicUrl: machinery.about.publicUrl, report }),
    report,
    redact: (message) => machinery.requests.redact(message),
  });
}

/** The dashboard, loaded when somebody first looks at it: a call of the control door need not wait for it. */
function lazyDashboard(options: DashboardOptions): Hono {
  const load = lazilyAsync(async () => (await import('./dashboard/index.ts')).dashboard(options));
  const app = new Hono();
  app.all('*', async (c) => (await load()).fetch(c.req.raw, c.env as object));
  return app;
}
