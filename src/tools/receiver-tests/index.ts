import type { Tool } from '../../cli/tool.ts';

/** Tests of a webhook receiver: `webhooks test`. */
export const receiverTests: Tool = {
  name: 'receiver-tests',
  commands: [
    { words: ['webhooks'], load: async () => (await import('./command.ts')).receiverTestCommands },
  ],
};
