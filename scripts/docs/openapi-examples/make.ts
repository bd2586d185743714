import type { createSandbox } from '../../../src/index.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import type { ExampleFile } from '../../../src/openapi/examples.ts';
import { recordControlCalls } from './control-calls.ts';
import { controlErrors, partnerErrors } from './errors.ts';
import { recordPartnerCalls } from './partner-calls.ts';
import { openReceiver } from './receiver.ts';
import { Recorder } from './recorder.ts';

/** A fault for the `change` event of the stream. */
const SLOW = { match: { path: '/pricing' }, effect: { delay_ms: 100 } };
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
  const at = await open(settings, { onStop: () => {} });
  const guarded = await open({ ...settings, inventory: 0 }, { controlToken: 'a-token' });
  const hook = await openReceiver();
  try {
    const recorder = new Recorder(at);
    const about = await recordPartnerCalls(recorder, at, hook);
    const errors = await partnerErrors(at, now);
    await recordControlCalls(recorder, at, hook, about);
    await recorder.listen('getRequestStream', () => partnerErrors(at, now));
    // Reading the log writes it, so that the stream reports nothing else.
    await at.control.get('/requests');
    await recorder.listen('getStream', () => at.control.post('/faults', SLOW));
    const file: ExampleFile = {
      base_url: at.url,
      partner: recorder.partner,
      control: recorder.control,
      errors,
      control_errors: await controlErrors(at, guarded),
      webhooks: hook.deliveries,
    };
    return steady(file, hook.url);
  } finally {
    hook.close();
    await guarded.close();
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

/** Returns the beginning of a long list. */
function beginning(list: unknown): unknown {
  return Array.isArray(list) ? list.slice(0, 2) : list;
}

/** Removes what depends on the machine, and the documents inside the document. */
function steady(file: ExampleFile, receiverUrl: string): ExampleFile {
  const text = JSON.stringify(file, (name, value: unknown) => {
    if (name === 'pid') return 4242;
    if (name === 'size_bytes') return 1_048_576;
    if (name === 'items') return beginning(value);
    if (name === 'getOpenapi') return undefined;
    return value;
  });
  const told = text
    .replaceAll(receiverUrl, RECEIVER)
    .replaceAll(UUID, A_UUID)
    .replaceAll(SIGNATURE, A_SIGNATURE)
    .replaceAll(WHOLE_SIGNATURE, A_WHOLE_SIGNATURE);
  return JSON.parse(told) as ExampleFile;
}
