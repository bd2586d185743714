import type { ControlClock } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { isoTimeText } from '../../values.ts';
import { showClock } from './show-clock.ts';

export const setClock = defineCommand({
  path: 'clock set',
  summary: 'Move sandbox time forward to a moment; it never runs backward.',
  args: { to: argument('ISO 8601 date or time', isoTimeText) },
  examples: ['sandlot clock set 2036-04-01T09:00:00Z', 'sandlot clock set 2036-05-01'],
  async run({ control, args, out }) {
    out.result(await control().post<ControlClock>('/clock/set', { to: args.to }), showClock);
  },
});
