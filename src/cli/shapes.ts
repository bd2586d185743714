/** What the control door answers, as it says itself. */
export type * from '../control/shapes.ts';
