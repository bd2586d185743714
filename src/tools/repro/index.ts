import type { Tool } from '../../cli/tool.ts';
import type { ReproMethods } from './api.ts';

/** Repro files: export, replay, inspect. */
export const repro: Tool = {
  name: 'repro',
  endpoints: async () => Object.values((await import('./endpoints.ts')).reproEndpoints),
  pages: async () => (await import('./pages.tsx')).reproPages,
  commands: [{ words: ['repro'], load: async () => (await import('./commands.ts')).repro }],
  extensions: { exec: async () => (await import('./exec-repro.ts')).execRepro },
  methods: async (source): Promise<ReproMethods> => ({
    exportRepro: async ({ world = 'default', ...options } = {}) => {
      const { exportRepro } = await import('./export.ts');
      return exportRepro(source, source.worlds.require(world), options);
    },
  }),
};
