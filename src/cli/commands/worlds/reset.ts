import type { ControlWorld } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { sameIds } from './same-ids.ts';

export const resetWorld = defineCommand({
  path: 'reset',
  summary: 'Put a world back to its seed. Credentials stay, everything else starts over.',
  details:
    'No id is issued twice: what is created after the reset has new ids, so that a receiver that keeps the ids of events it has seen drops none.',
  options: { sameIds: sameIds('repeat the ids from before the reset') },
  examples: ['sandlot reset', 'sandlot reset --world default'],
  async run({ control, options, out }) {
    out.result(
      await control().post<ControlWorld>('/reset', { same_ids: options.sameIds }),
      ({ name, seed }) => `world ${name} is back at seed ${seed}`,
    );
  },
});
