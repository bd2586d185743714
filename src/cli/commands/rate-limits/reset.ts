import { defineCommand } from '../../command.ts';

export const resetRateLimits = defineCommand({
  path: 'rate-limits reset',
  summary: 'Forget what was counted towards rate limits in a world.',
  examples: ['sandlot rate-limits reset'],
  async run({ control, out }) {
    out.result(
      await control().post<{ reset: boolean }>('/rate-limits/reset'),
      () => 'rate limits count from zero again',
    );
  },
});
