import type { ControlClock } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { showClock as show } from './show-clock.ts';

export const showClock = defineCommand({
  path: 'clock',
  summary: 'Show sandbox time, or move it: advance, set, freeze, resume, upcoming, next, until.',
  examples: ['sandlot clock', 'sandlot clock advance 11m'],
  async run({ control, out }) {
    out.result(await control().get<ControlClock>('/clock'), show);
  },
});
