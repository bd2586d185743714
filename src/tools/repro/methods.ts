import type { InProcess } from '../../sandbox/tool.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import type { ReproMethods } from './api.ts';

export function reproMethods(source: InProcess): ReproMethods {
  return {
    exportRepro: async ({ world = DEFAULT_WORLD, ...options } = {}) => {
      const { exportRepro } = await import('./service.ts');
      return exportRepro(source, source.worlds.require(world), options);
    },
  };
}
