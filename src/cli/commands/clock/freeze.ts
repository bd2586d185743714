import type { ControlClock } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { showClock } from './show-clock.ts';

export const freezeClock = defineCommand({
  path: 'clock freeze',
  summary: 'Stop sandbox time where it is.',
  examples: ['sandlot clock freeze'],
  async run({ control, out }) {
    out.result(await control().post<ControlClock>('/clock/freeze'), showClock);
  },
});
