import type { ReproMethods } from './repro/api.ts';

/** Exports of the package that tools add, in addition to the list in `src/index.ts`. */

export * from './receiver-tests/api.ts';
export * from './repro/api.ts';

/** Methods that tools add to a sandbox in this process: those that their `methods` (`SandboxTool`) return, joined by `&`. */
export type ToolMethods = ReproMethods;
