import type { ReceiverTestOptions } from './options.ts';
import type { ReceiverTestReport } from './result.ts';

export type { ReceiverTestOptions } from './options.ts';
export type { CheckResult, ReceiverTestReport } from './result.ts';

/**
 * Tests a webhook receiver, as `sandlot webhooks test` does. Needs no sandbox.
 * @throws an error named ReceiverTestInputError for invalid options or a probe that does not work
 */
export async function testReceiver(options: ReceiverTestOptions): Promise<ReceiverTestReport> {
  const { runReceiverTests } = await import('./run.ts');
  return runReceiverTests(options);
}
