import type { Scheduler } from '../../schedule/scheduler.ts';
import type { World } from '../../world/world.ts';
import type { ActRecord } from './format.ts';
import { sendResult } from './replayed-requests.ts';

/**
 * Performs an act of scheduled work.
 * @param onSent called with the body of the webhook whose outcome this is
 * @returns the problem, if it cannot be performed
 */
export async function performWork(
  world: World,
  scheduler: Scheduler,
  { cause, params, given: sends = [] }: ActRecord,
  onSent: (body: string) => void,
): Promise<string | undefined> {
  const { attempts, advances } = scheduler;
  const id = 'id' in cause ? (cause.id ?? '') : '';
  const work = (): Promise<unknown> | undefined => {
    if (cause.type === 'clock.to') {
      return world.clock.isHeld ? advances.stepTo(params?.to ?? 0) : undefined;
    }
    if (cause.type === 'moves') return scheduler.hasMovesDue ? scheduler.move() : undefined;
    if (cause.type === 'attempt') return attempts.begin(id);
    const attempt = attempts.find(id);
    if (!attempt) return undefined;
    onSent(attempt.request.body);
    return attempts.end(attempt, sends.map(sendResult));
  };
  try {
    const promise = work();
    world.flush();
    const result = await promise;
    const isDue = promise !== undefined && (cause.type !== 'attempt' || result !== undefined);
    return isDue ? undefined : 'is not due';
  } catch (error) {
    return `fails: ${error instanceof Error ? error.message : error}`;
  }
}
