import type { ReproMethods } from './repro/api.ts';

/** Exports of the package that tools add, in addition to the list in `index.ts`. */

export * from './receiver-tests/api.ts';
export * from './repro/api.ts';

/** Methods that tools add to a sandbox in this process. */
export type ToolMethods = ReproMethods;
