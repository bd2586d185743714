/** Ends a run early; the checks that did not run are unseen for this reason. */
export class EndOfRun extends Error {}
