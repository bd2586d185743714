/** Only a `must` check can fail, because the specification requires its behavior. */
export type Level = 'must' | 'advice';

export interface Expected {
  response: '200' | 'rejected' | 'any'; // `rejected`: anything but 200
  /** Null if the effect is not checked. */
  effect: 'one' | 'none' | null;
}

export type CheckOutcome = 'pass' | 'fail' | 'advice' | 'unseen';

/** How the receiver responded to a delivery. */
export interface TestAttempt {
  status: number | null;
  /** `ok` (200 in time), `late` (200), `status 401`, `hung_up` (on purpose), `closed`, `no_response`, `not_http` … */
  outcome: string;
  /** From the last byte sent to the end of the response headers, or to the close; 0 if either precedes that byte. */
  duration_ms: number;
  /** The start of the response body. */
  response: string | null;
  /** Whether its signature was invalid on purpose; absent if not. */
  forged?: true;
}

export interface CheckResult {
  id: string;
  level: Level;
  result: CheckOutcome;
  reason: string;
  expected: Expected;
  /** The response to each delivery. */
  deliveries: TestAttempt[];
  meaning: string | null;
  fix: string | null;
  reproduce: string;
}

/** Returns the first attempt that went wrong, or else the last one. A forged one went wrong if it got 200. */
export function decidingAttempt({ deliveries }: CheckResult): TestAttempt | undefined {
  const isUnexpected = ({ status, outcome, forged }: TestAttempt) =>
    forged ? status === 200 : outcome !== 'ok' && outcome !== 'hung_up';
  return deliveries.find(isUnexpected) ?? deliveries.at(-1);
}

/** The result of a check, with its reason and explanation. */
export type Evaluation = Pick<CheckResult, 'result' | 'reason' | 'meaning' | 'fix'>;

/** The meaning of a result, and its fix. */
export type Explanation = Pick<Evaluation, 'meaning' | 'fix'>;

export function pass(reason = 'as expected'): Evaluation {
  return { result: 'pass', reason, meaning: null, fix: null };
}

/** Returns a failure for a `must` check, else advice. */
export function unmet(
  check: Explanation & { level: Level },
  reason: string,
  { meaning, fix }: Explanation = check,
): Evaluation {
  const result = check.level === 'must' ? 'fail' : 'advice';
  return { result, reason, meaning, fix };
}

export function unseen(reason: string): Evaluation {
  return { result: 'unseen', reason, meaning: null, fix: null };
}

/** The results of a run: the document of `--json`. */
export interface ReceiverTestReport {
  format: 2;
  sandlot: string;
  url: string;
  started_at: string;
  duration_ms: number;
  /** Whether no check failed and at least one could be observed. */
  ok: boolean;
  /** What the probe prints; `unchanged` if two valid deliveries did not change it, or did not raise a count equally. */
  probe: 'count' | 'text' | 'unchanged' | null;
  totals: Record<CheckOutcome, number>;
  checks: CheckResult[];
}
