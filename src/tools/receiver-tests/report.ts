import { shellQuote } from '../../client/curl.ts';
import { isoTime } from '../../kernel/time.ts';
import { VERSION } from '../../version.ts';
import type { ReceiverCheck } from './check.ts';
import type { Observation } from './effect.ts';
import { evaluate, type RunFacts } from './evaluate.ts';
import type { ReceiverTestOptions } from './options.ts';
import { type CheckOutcome, type CheckResult, type ReceiverTestReport, unseen } from './result.ts';

interface ReportInput {
  options: ReceiverTestOptions;
  checks: readonly ReceiverCheck[];
  /** By the id of the check. */
  observations: ReadonlyMap<string, Observation>;
  notRunReason: string;
  facts: RunFacts;
  connected: boolean;
  startedAt: number;
  durationMs: number;
}

/** Builds the report of a run, without the secret. */
export function buildReport(input: ReportInput): ReceiverTestReport {
  const { options, facts } = input;
  const withoutSecret = (text: string) => text.replaceAll(options.secret, '[secret]');
  const checks = input.checks.map((check): CheckResult => {
    const { id, level, expected } = check;
    const observation = input.observations.get(id);
    const { result, reason, meaning, fix } = observation
      ? evaluate(observation, facts)
      : unseen(input.notRunReason);
    return {
      ...{ id, level, result, reason, expected },
      deliveries: (observation?.deliveries ?? []).map(({ attempt: { response, ...attempt } }) => ({
        ...attempt,
        response: response === null ? null : withoutSecret(response),
      })),
      ...{ meaning, fix },
      reproduce: commandFor(id, options),
    };
  });
  const totals: Record<CheckOutcome, number> = { pass: 0, fail: 0, advice: 0, unseen: 0 };
  for (const { result } of checks) totals[result] += 1;
  return {
    format: 2,
    sandlot: VERSION,
    url: options.url,
    started_at: isoTime(input.startedAt),
    duration_ms: input.durationMs,
    ok: totals.fail === 0 && input.connected,
    probe: facts.calibration?.kind ?? null,
    totals,
    checks,
  };
}

/** Returns the command that runs a check, without the secret and functions. */
function commandFor(id: string, { url, allowRemote, event, probe }: ReceiverTestOptions): string {
  const words = ['sandlot', 'webhooks', 'test', '--only', id, '--url', url];
  if (allowRemote) words.push('--allow-remote');
  if (event !== undefined && event !== 'order.recorded') words.push('--event', event);
  if (typeof probe === 'string') words.push('--probe', probe);
  return words.map(shellQuote).join(' ');
}
