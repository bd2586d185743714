import type { InProcess } from '../../sandbox/tool.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import type { ReproMethods } from './api.ts';

export function reproMethods(source: InProcess): ReproMethods {
  return {
    exportRepro: async ({ world = DEFAULT_WORLD, since, ...selection } = {}) => {
      const { exportHere } = await import('./service.ts');
      const { instantOf } = await import('./since.ts');
      const options = {
        ...selection,
        since: since === undefined ? undefined : instantOf(since, source.runtime.now()),
      };
      return exportHere(source, source.worlds.require(world), options);
    },
  };
}
