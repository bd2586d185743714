import type { Tool } from '../../cli/tool.ts';

/** The go-live report: a checklist for production of what an integration has handled. */
export const golive: Tool = {
  name: 'golive',
  endpoints: async () => Object.values((await import('./endpoints.ts')).goliveEndpoints),
  pages: async () => (await import('./pages.tsx')).golivePages,
  commands: [
    { words: ['golive'], load: async () => (await import('./commands.ts')).goliveCommands },
  ],
  extensions: { exec: async () => (await import('./exec.ts')).execGolive },
};
