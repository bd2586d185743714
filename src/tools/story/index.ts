import type { Tool } from '../../cli/tool.ts';

/** The story of an order: its requests, moves, events and webhook attempts as one sequence. */
export const story: Tool = {
  name: 'story',
  endpoints: async () => Object.values((await import('./endpoints.ts')).storyEndpoints),
  pages: async () => ({
    styles: (await import('./styles.ts')).STYLES,
    sections: { '/dashboard/orders/:id': (await import('./story-section.tsx')).orderStorySection },
  }),
  extensions: { 'orders show': async () => (await import('./extension.ts')).showStory },
};
