import type { createSandbox } from '../../../src/index.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import type { ExampleFile } from '../../../src/openapi/examples.ts';
import { partnerErrors } from './errors.ts';
import { recordPartnerCalls } from './partner-calls.ts';
import { openReceiver } from './receiver.ts';
import { Recorder } from './recorder.ts';

/** Time of the examples, in sandbox time and in real time. */
const MOMENT = '2026-01-05T09:00:00.000Z';
/** Address of the receiver in the examples, in place of the free port that was used. */
const RECEIVER = 'http://127.0.0.1:4020/';

/**
 * Returns the examples of the OpenAPI documents: responses of a sandbox with the default seed at a fixed time.
 * @param open creates the sandbox, from the source or the build
 */
export async function makeExamples(open: typeof createSandbox): Promise<ExampleFile> {
  const now = Date.parse(MOMENT);
  const settings = {
    frozenAt: MOMENT,
    port: false,
    rateLimits: false,
    // Real time is fixed too: durations would differ between runs.
    runtime: { ...systemRuntime, now: () => now, monotonic: () => 0 },
  } as const;
  const at = await open(settings);
  const hook = await openReceiver();
  try {
    const recorder = new Recorder(at);
    await recordPartnerCalls(recorder, at, hook);
    const file: ExampleFile = {
      base_url: at.url,
      calls: recorder.calls,
      errors: await partnerErrors(at, now),
      webhooks: hook.deliveries,
    };
    return steady(file, hook.url);
  } finally {
    hook.close();
    await at.close();
  }
}

/** Random values: nonces, and the signatures that contain them. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const A_UUID = '5c8f1a52-6f0e-4b3a-9d5e-2f7c1b0a9e44';
const SIGNATURE = /v1=[0-9a-f]{8}…/g;
const A_SIGNATURE = 'v1=8e112981…';
const WHOLE_SIGNATURE = /v1=[0-9a-f]{64}/g;
const A_WHOLE_SIGNATURE = `v1=8e112981${'0123456789abcdef'.repeat(4).slice(8)}`;

/** Replaces what differs between runs. */
function steady(file: ExampleFile, receiverUrl: string): ExampleFile {
  const told = JSON.stringify(file)
    .replaceAll(receiverUrl, RECEIVER)
    .replaceAll(UUID, A_UUID)
    .replaceAll(SIGNATURE, A_SIGNATURE)
    .replaceAll(WHOLE_SIGNATURE, A_WHOLE_SIGNATURE);
  return JSON.parse(told) as ExampleFile;
}
