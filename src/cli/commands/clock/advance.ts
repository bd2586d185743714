import type { ControlClock } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { durationText } from '../../values.ts';
import { showClock } from './show-clock.ts';

export const advanceClock = defineCommand({
  path: 'clock advance',
  summary: 'Move sandbox time forward; what falls due on the way happens in order.',
  args: { by: argument('duration, such as 90s, 11m, 1h30m or 2d', durationText) },
  examples: ['sandlot clock advance 11m', 'sandlot clock advance 1h30m'],
  async run({ control, args, out }) {
    out.result(await control().post<ControlClock>('/clock/advance', { by: args.by }), showClock);
  },
});
