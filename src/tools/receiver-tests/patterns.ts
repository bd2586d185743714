import { groupOf } from './check.ts';
import type { CheckResult, DeliveryResult } from './result.ts';

interface Pattern {
  text: string;
  holds(checks: Results): boolean;
}

const UNKNOWN_FIELDS = ['body.escapes', 'body.utf8', 'body.fields', 'wire.split'];

const PATTERNS: readonly Pattern[] = [
  {
    text: 'the receiver verifies re-serialized JSON instead of the raw body.',
    holds: (checks) =>
      ['body.pretty', 'body.escapes', 'body.fields'].every((id) => checks.rejected(id)) &&
      checks.accepted('sig.reserialized'),
  },
  {
    text: 'the receiver does not verify signatures.',
    // A body that is not JSON is rejected by the parser.
    holds: (checks) => checks.every('sig', (id) => id === 'sig.not_json' || checks.accepted(id)),
  },
  {
    text: 'the secret of the receiver is not set.',
    holds: (checks) =>
      checks.every('right', (id) => checks.rejected(id)) && checks.accepted('sig.empty_key'),
  },
  {
    text: 'the CSRF protection of your framework rejects deliveries.',
    holds: (checks) =>
      checks.every('right', (id) => checks.rejected(id) && checks.responded(id, isAboutCsrf)),
  },
  {
    text: 'the receiver decodes pieces of the body as text.',
    holds: (checks) => checks.rejected('wire.split') && checks.failed('body', 'wire').length === 1,
  },
  {
    text: 'the schema of the receiver is strict.',
    holds: (checks) =>
      checks.passed('body.pretty') && UNKNOWN_FIELDS.every((id) => checks.rejected(id)),
  },
  {
    text: 'the receiver processes before it responds.',
    holds: (checks) => checks.every('right', (id) => checks.late(id)) && checks.lateAlike('right'),
  },
];

/** As Laravel, Django and Rails respond. */
function isAboutCsrf({ status, response }: DeliveryResult): boolean {
  return status === 419 || /csrf|authenticity.?token/i.test(response ?? '');
}

/** Two response times are alike if they differ by less. */
const ALIKE_MS = 1_000;

/** Likely causes, each a sentence. */
export function findPatterns(results: readonly CheckResult[]): string[] {
  const checks = new Results(results);
  return PATTERNS.filter(({ holds }) => holds(checks)).map(({ text }) => `Likely cause: ${text}`);
}

class Results {
  readonly #results: ReadonlyMap<string, CheckResult>;

  constructor(results: readonly CheckResult[]) {
    this.#results = new Map(results.map((result) => [result.id, result]));
  }

  passed(id: string): boolean {
    return this.#results.get(id)?.result === 'pass';
  }

  /** Whether a valid delivery got a 4xx. */
  rejected(id: string): boolean {
    const result = this.#results.get(id);
    return (
      result?.result === 'fail' &&
      result.deliveries.some(({ status }) => status !== null && status >= 400 && status < 500)
    );
  }

  /** Whether a forged delivery got 200. */
  accepted(id: string): boolean {
    const result = this.#results.get(id);
    return result?.result === 'fail' && result.deliveries.some(({ status }) => status === 200);
  }

  responded(id: string, condition: (delivery: DeliveryResult) => boolean): boolean {
    return this.#results.get(id)?.deliveries.some(condition) ?? false;
  }

  late(id: string): boolean {
    const deliveries = this.#results.get(id)?.deliveries ?? [];
    return deliveries.length > 0 && deliveries.every(({ outcome }) => outcome === 'late');
  }

  lateAlike(group: string): boolean {
    const times = this.#of(group).flatMap(({ deliveries }) =>
      deliveries.map(({ duration_ms }) => duration_ms),
    );
    return Math.max(...times) - Math.min(...times) < ALIKE_MS;
  }

  /** Whether a condition holds for every `must` check of a group that was selected. */
  every(group: string, condition: (id: string) => boolean): boolean {
    const musts = this.#of(group).filter(({ level }) => level === 'must');
    return musts.length > 1 && musts.every(({ id }) => condition(id));
  }

  failed(...groups: string[]): CheckResult[] {
    return groups.flatMap((group) => this.#of(group)).filter(({ result }) => result === 'fail');
  }

  #of(group: string): CheckResult[] {
    return [...this.#results.values()].filter(({ id }) => groupOf(id) === group);
  }
}
