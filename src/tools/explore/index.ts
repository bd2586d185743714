import type { Tool } from '../../cli/tool.ts';

/** Runs a test once for each fault that happens in production, and reports those that break the application. */
export const explore: Tool = {
  name: 'explore',
  commands: [
    { words: ['explore'], load: async () => (await import('./commands.ts')).exploreCommands },
  ],
};
