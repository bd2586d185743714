import type { UpcomingItem } from '../../../control/clock.ts';
import type { ControlClock } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { showClock } from './show-clock.ts';

interface Reached {
  reached: UpcomingItem;
  clock: ControlClock;
}

export const clockToNext = defineCommand({
  path: 'clock next',
  summary: 'Move sandbox time to whatever falls due next.',
  examples: ['sandlot clock next'],
  async run({ control, out }) {
    out.result(await control().post<Reached>('/clock/next'), ({ reached, clock }, paper) => [
      `reached: ${reached.what}`,
      showClock(clock, paper),
    ]);
  },
});
