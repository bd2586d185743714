import type { ToolDocs } from '../tools.ts';

export const receiverTests: ToolDocs = {
  types: { 'tools/receiver-tests/options.ts': ['ReceiverTestOptions'] },
  recordCalls: async ({ callControl }) => {
    const url = 'http://127.0.0.1:3000/webhooks';
    await callControl('postReceiverTest', 'passed', { body: { url } });
  },
};
