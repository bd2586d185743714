import type { Tool } from '../../cli/tool.ts';

/** The story of an order: its requests, moves, events and webhook attempts as one sequence. */
export const story: Tool = {
  name: 'story',
  endpoints: async () => Object.values((await import('./endpoints.ts')).storyEndpoints),
  pages: async () => (await import('./story-section.tsx')).storyPages,
  extensions: { 'orders show': async () => (await import('./commands.ts')).showStory },
};
