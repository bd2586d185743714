import { defineCommand } from '../../command.ts';
import { TIMEOUT } from './timeout.ts';

export const idle = defineCommand({
  path: 'idle',
  summary: 'Wait until nothing is being delivered and nothing is due now.',
  options: { timeout: TIMEOUT },
  examples: ['sandlot idle', 'sandlot idle --timeout 5s'],
  async run({ control, options, out }) {
    const body = { timeout_ms: options.timeout };
    out.result(
      await control().post<{ idle: boolean }>('/idle', body),
      () => 'idle: nothing is being delivered and nothing is due',
    );
  },
});
