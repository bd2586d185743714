import { defineCommand } from '../../command.ts';
import type { WorldShape } from '../../shapes.ts';

export const resetWorld = defineCommand({
  path: 'reset',
  summary: 'Put a world back to its seed. Credentials stay, everything else starts over.',
  examples: ['sandlot reset', 'sandlot reset --world default'],
  async run({ control, out }) {
    out.result(
      await control().post<WorldShape>('/reset'),
      ({ name, seed }) => `world ${name} is back at seed ${seed}`,
    );
  },
});
