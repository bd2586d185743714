import type { Status } from '../../../control/status.ts';
import { defineCommand } from '../../command.ts';
import { showStatus } from './show-status.ts';

export const status = defineCommand({
  path: 'status',
  summary: 'What is running: address, seed, inventory, clock and the default credential.',
  examples: ['sandlot status', 'sandlot status --json'],
  async run({ control, out }) {
    out.result(await control().get<Status>('/status'), showStatus);
  },
});
