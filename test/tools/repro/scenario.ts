/** Has no call that only reads. */
export async function runScenario(): Promise<void> {}

/** It reads a whole recording. */
export const UNCALLED = ['POST /repro/export'];
