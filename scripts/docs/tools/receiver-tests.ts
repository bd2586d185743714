import type { ToolDocs } from '../tools.ts';

export const receiverTests: ToolDocs = {
  types: { 'tools/receiver-tests/options.ts': ['ReceiverTestOptions'] },
};
