import { type ControlContext, get, named } from '../../control/endpoint.ts';
import { findInWorld } from '../../control/find-objects.ts';
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
    world: world?.name,
  });
}

/** Returns the page of a request or a delivery that the sandbox still lists. */
function hrefOf(context: ControlContext, { id, world: name }: WorldEvidence): string | null {
  const world = context.worlds.find(name);
  return (world && findInWorld(id, world, context)?.href) ?? null;
}
