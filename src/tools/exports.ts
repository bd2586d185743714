import type { ReproMethods } from './repro/api.ts';
import type { ReproSettings } from './repro/settings.ts';

/** Exports of the package that tools add, in addition to the list in `index.ts`. */

export * from './receiver-tests/api.ts';
export * from './repro/api.ts';

/** Settings that tools add. */
export type ToolSettings = ReproSettings;

/** Methods that tools add to a sandbox in this process. */
export type ToolMethods = ReproMethods;
