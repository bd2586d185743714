import type { ControlClock } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { showClock } from './show-clock.ts';

export const resumeClock = defineCommand({
  path: 'clock resume',
  summary: 'Let sandbox time run on from where it stands.',
  examples: ['sandlot clock resume'],
  async run({ control, out }) {
    out.result(await control().post<ControlClock>('/clock/resume'), showClock);
  },
});
