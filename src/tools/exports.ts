/** What tools add to the exports of the package, beside the list in `index.ts`. */

export type { ToolSettings } from './golive/settings.ts';
export * from './receiver-tests/api.ts';
export * from './repro/api.ts';
