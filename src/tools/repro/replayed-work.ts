import type { Scheduler } from '../../schedule/scheduler.ts';
import type { World } from '../../world/world.ts';
import type { ActRecord } from './format.ts';
import { sendResult } from './replayed-requests.ts';

/**
 * Does work that no request did.
 * @param sent called with the body of the webhook whose outcome this is
 * @returns why it cannot be done, if so
 */
export async function performWork(
  world: World,
  scheduler: Scheduler,
  { cause, params, given = [] }: ActRecord,
  sent: (body: string) => void,
): Promise<string | undefined> {
  const { attempts, advances } = scheduler;
  const id = 'id' in cause ? (cause.id ?? '') : '';
  const work = (): Promise<unknown> | undefined => {
    if (cause.type === 'clock.to') {
      return world.clock.isHeld ? advances.stepTo(params?.to ?? 0) : undefined;
    }
    if (cause.type === 'moves') return scheduler.hasMovesDue ? scheduler.move() : undefined;
    if (cause.type === 'attempt') return attempts.begin(id);
    const begun = attempts.find(id);
    if (!begun) return undefined;
    sent(begun.request.body);
    return attempts.end(begun, given.map(sendResult));
  };
  try {
    const done = work();
    world.flush();
    const result = await done;
    const isDue = done !== undefined && (cause.type !== 'attempt' || result !== undefined);
    return isDue ? undefined : 'is not due';
  } catch (error) {
    return `fails: ${error instanceof Error ? error.message : error}`;
  }
}
