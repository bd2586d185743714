import { defineCommand } from '../../command.ts';

export const health = defineCommand({
  path: 'health',
  summary: 'Whether a sandbox takes requests; exits 3 when none does.',
  examples: ['sandlot health'],
  async run({ control, address, out }) {
    out.result(
      await control().get<{ status: string }>('/health'),
      (document, { paint }) => `${paint.good('●')} ${address().url} is ${document.status}`,
    );
  },
});
