import type { ToolDocs } from '../tools.ts';

export const story: ToolDocs = {
  recordCalls: async ({ callControl }, { order }) => {
    await callControl('getOrderStory', 'story', { parameters: { id: order } });
  },
};
