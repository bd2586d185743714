import { groupOf } from './check.ts';
import type { CheckResult, DeliveryResult } from './result.ts';

type Condition = (check: CheckResult) => boolean;

interface Pattern {
  text: string;
  holds(checks: Results): boolean;
}

const PATTERNS: readonly Pattern[] = [
  {
    text: 'the receiver verifies re-serialized JSON instead of the raw body.',
    holds: ({ all }) =>
      all(['body.pretty', 'body.escapes', 'body.fields'], isRejected) &&
      all(['sig.reserialized'], isAccepted),
  },
  {
    text: 'the receiver does not verify signatures.',
    // A body that is not JSON is rejected by the parser.
    holds: ({ allOf }) => allOf('sig', (check) => check.id === 'sig.not_json' || isAccepted(check)),
  },
  {
    text: 'the secret of the receiver is not set.',
    holds: ({ all, allOf }) => allOf('right', isRejected) && all(['sig.empty_key'], isAccepted),
  },
  {
    text: 'the CSRF protection of your framework rejects deliveries.',
    holds: ({ allOf }) =>
      allOf('right', (check) => isRejected(check) && check.deliveries.some(isAboutCsrf)),
  },
  {
    text: 'the receiver decodes pieces of the body as text.',
    holds: ({ all, failed }) => all(['wire.split'], isRejected) && failed('body', 'wire') === 1,
  },
  {
    text: 'the schema of the receiver is strict.',
    holds: ({ all }) =>
      all(['body.pretty'], ({ result }) => result === 'pass') &&
      all(['body.escapes', 'body.utf8', 'body.fields', 'wire.split'], isRejected),
  },
  {
    text: 'the receiver processes before it responds.',
    holds: ({ allOf, times }) =>
      allOf('right', isLate) &&
      Math.max(...times('right')) - Math.min(...times('right')) < ALIKE_MS,
  },
];

/** Two response times are alike if they differ by less. */
const ALIKE_MS = 1_000;

/** Whether a valid delivery got a 4xx. */
function isRejected({ result, deliveries }: CheckResult): boolean {
  const is4xx = ({ status }: DeliveryResult) => status !== null && status >= 400 && status < 500;
  return result === 'fail' && deliveries.some(is4xx);
}

/** Whether a forged delivery got 200. */
function isAccepted({ result, deliveries }: CheckResult): boolean {
  return result === 'fail' && deliveries.some(({ status }) => status === 200);
}

function isLate({ deliveries }: CheckResult): boolean {
  return deliveries.length > 0 && deliveries.every(({ outcome }) => outcome === 'late');
}

/** As Laravel, Django and Rails respond. */
function isAboutCsrf({ status, response }: DeliveryResult): boolean {
  return status === 419 || /csrf|authenticity.?token/i.test(response ?? '');
}

/** Likely causes, each a sentence. */
export function findPatterns(checks: readonly CheckResult[]): string[] {
  const results = resultsOf(checks);
  return PATTERNS.filter(({ holds }) => holds(results)).map(({ text }) => `Likely cause: ${text}`);
}

type Results = ReturnType<typeof resultsOf>;

function resultsOf(checks: readonly CheckResult[]) {
  const of = (groups: string[]) => checks.filter(({ id }) => groups.includes(groupOf(id)));
  return {
    all: (ids: readonly string[], condition: Condition) =>
      ids.every((id) => checks.some((check) => check.id === id && condition(check))),
    /** Whether a condition holds for every `must` check of a group that was selected. */
    allOf(group: string, condition: Condition) {
      const musts = of([group]).filter(({ level }) => level === 'must');
      return musts.length > 1 && musts.every(condition);
    },
    failed: (...groups: string[]) => of(groups).filter(({ result }) => result === 'fail').length,
    times: (group: string) =>
      of([group]).flatMap(({ deliveries }) => deliveries.map(({ duration_ms: ms }) => ms)),
  };
}
