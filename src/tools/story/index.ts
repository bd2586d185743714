import type { Tool } from '../../cli/tool.ts';

const commands = () => import('./commands.ts');

/** The story of an order: its requests, moves, events and webhook attempts as one sequence. */
export const story: Tool = {
  name: 'story',
  endpoints: async () => Object.values((await import('./endpoints.ts')).storyEndpoints),
  pages: async () => (await import('./story-section.tsx')).storyPages,
  commands: [{ words: ['orders'], load: async () => (await commands()).storyCommands }],
  extensions: { 'orders show': async () => (await commands()).showStory },
};
