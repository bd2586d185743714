import { type ControlContext, get, named } from '../../control/endpoint.ts';
import { deliveries } from '../../store/schema/events.ts';
import { finder } from '../../store/table.ts';
import { urlInWorld } from '../../world/urls.ts';
import type { World } from '../../world/world.ts';
import type { WorldEvidence } from './observations.ts';
import { observe } from './read-log.ts';
import { goliveReport, makeReport, type Report } from './report.ts';

export const goliveEndpoints = named({
  getGolive: get('/golive', {
    summary: 'Report what the integration was seen to handle.',
    description:
      'Covers the requests in the log, from before resets and of deleted worlds too. Without a gate: every item of level `must` that applies is required. Covers all worlds, unless `?world=` names one.',
    response: goliveReport,
    handle: ({ namedWorld, context }) => reportOf(context, namedWorld),
  }),
});

/** Reports on a world, or on all. */
export async function reportOf(context: ControlContext, world?: World): Promise<Report> {
  return makeReport(await observe(context, world), {
    now: context.runtime.now(),
    hrefOf: (evidence) => hrefOf(context, evidence),
  });
}

const findDelivery = finder(deliveries, 'id');

/** Returns the page of a request or a delivery that the sandbox still lists. */
function hrefOf({ worlds, requests }: ControlContext, evidence: WorldEvidence): string | null {
  const { kind, id } = evidence;
  const world = worlds.find(evidence.world);
  if (!world) return null;
  if (kind === 'delivery') {
    const isThere = world.read((tx) => findDelivery(tx, id)) !== undefined;
    return isThere ? urlInWorld(world.name, `/dashboard/deliveries/${id}`) : null;
  }
  if (!requests.find(world, id)) return null;
  return urlInWorld(world.name, `/dashboard/requests/${id}`);
}
