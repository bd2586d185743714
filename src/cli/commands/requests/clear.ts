import { defineCommand } from '../../command.ts';

export const clearRequests = defineCommand({
  path: 'requests clear',
  summary: 'Empty the request log of a world.',
  examples: ['sandlot requests clear'],
  async run({ control, out }) {
    out.result(await control().delete('/requests'), (_, { paint }) =>
      paint.good('the request log is empty'),
    );
  },
});
