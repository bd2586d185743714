import { expect } from 'vitest';
import { digestOf } from '../../src/repro/digest.ts';
import { ReplayDriver } from '../../src/repro/driver.ts';
import type {
  RecordedInput,
  RecordedRequest,
  RecordedStep,
  Recording,
} from '../../src/requests/recording.ts';
import type { GivenResponse } from '../../src/world/inputs.ts';
import type { RecordedSandbox } from '../support/recorded-sandbox.ts';

/** Replays a recording; expects the same responses, webhook bodies and, if it is known, final database. */
export async function expectSameReplay(
  at: RecordedSandbox,
  recording: Recording,
  { digest }: { digest?: string | undefined } = {},
): Promise<void> {
  const inputs = at.inputs(recording);
  const base = at.sandbox.requests.of(at.world).recordings.base(recording);
  const { settings } = recording;
  const driver = await ReplayDriver.open({ world: at.world.name, base, settings, inputs });
  try {
    await expectSameOutputs(driver, inputs);
    if (digest !== undefined) expect(digestOf(driver.world.store.client)).toBe(digest);
  } finally {
    await driver.close();
  }
}

async function expectSameOutputs(driver: ReplayDriver, inputs: RecordedInput[]): Promise<void> {
  const recorded = new Map(inputs.map((input) => [input.n, input]));
  const open = new Set(inputs.flatMap((each) => (isAnswered(each) ? [each.n] : [])));
  const sent = new Map<number, string[]>();
  for (let outputs = await driver.next(); outputs; outputs = await driver.next()) {
    expect(outputs.problem).toBe(null);
    for (const { n, response, failedCheck } of outputs.responses) {
      const request = recorded.get(n) as RecordedRequest;
      if (request.response === null) continue;
      expect({ n, ...shown(response) }).toEqual({ n, ...shown(request.response) });
      expect(failedCheck).toBe(request.failedCheck);
      open.delete(n);
    }
    for (const { of, body } of outputs.sends) sent.set(of, [...(sent.get(of) ?? []), body]);
  }
  expect([...open]).toEqual([]);
  for (const step of inputs.filter(isOutcome)) expect(sent.get(step.of ?? 0)).toContain(step.body);
}

/** Whether its recording has its response. */
function isAnswered(input: RecordedInput): boolean {
  return input.kind === 'request' && input.response !== null;
}

function isOutcome(input: RecordedInput): input is RecordedStep {
  return input.kind === 'step' && input.label === 'outcome';
}

/** Minted secrets are masked in a recording, at equal length. */
function shown(response: GivenResponse | 'closed') {
  if (response === 'closed') return { response };
  const { status, headers, body } = response;
  const masked = body.replace(/("secret":")[^"]*/g, (_all, field: string) => field);
  return { status, headers, body: masked };
}
