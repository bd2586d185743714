import type { Tool } from '../../cli/tool.ts';

/** Tests of a webhook receiver: `webhooks test`. */
export const receiverTests: Tool = {
  name: 'receiver-tests',
  endpoints: async () => Object.values((await import('./endpoints.ts')).receiverTestEndpoints),
  commands: [
    { words: ['webhooks'], load: async () => (await import('./command.ts')).receiverTestCommands },
  ],
};
