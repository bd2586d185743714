import type { Tool } from '../../cli/tool.ts';

/** Repro files: export, replay, inspect. */
export const repro: Tool = {
  name: 'repro',
  endpoints: async () => Object.values((await import('./endpoints.ts')).reproEndpoints),
  pages: async () => (await import('./pages.tsx')).reproPages,
  commands: [{ words: ['repro'], load: async () => (await import('./commands.ts')).repro }],
  extensions: { exec: async () => (await import('./exec-repro.ts')).execRepro },
  methods: async (source) => (await import('./methods.ts')).reproMethods(source),
};
