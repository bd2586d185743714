import { createHash } from 'node:crypto';
import { printCurl, shellQuote } from '../../client/curl.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { isoTime } from '../../kernel/time.ts';
import { VERSION } from '../../version.ts';
import { junitXml } from '../junit.ts';
import { type CheckInfo, groupOf } from './check.ts';
import { isFailure } from './effect.ts';
import type { SaleCheck, SaleOutcome } from './end-to-end/checks.ts';
import { evaluate, type RunFacts } from './evaluate.ts';
import type { Observation } from './observe.ts';
import { type ReceiverTestOptions, type SaleOptions, saleFlags } from './options.ts';
import {
  type CheckOutcome,
  type CheckResult,
  type DeliveryResult,
  type Evaluation,
  type ReceiverTestReport,
  unseen,
} from './result.ts';

const MAX_SHOWN_BODY_BYTES = 8 * 1024;
const MAX_TEXT = 2_000;

interface ReportInput {
  options: ReceiverTestOptions;
  observations: readonly Observation[];
  saleChecks: readonly SaleCheck[];
  sale: ReadonlyMap<string, SaleOutcome>;
  snapshot: string | null;
  ending: string;
  facts: RunFacts;
  connected: boolean;
  startedAt: number;
  durationMs: number;
}

/** Makes the document of a run. The secret is in none of its texts. */
export function buildReport(input: ReportInput): ReceiverTestReport {
  const { options, facts, ending } = input;
  const withoutSecret = (text: string) => text.replaceAll(options.secret, '[secret]');
  const checks = [
    ...input.observations.map((observation) =>
      resultOf(observation.check, evaluate(observation, facts), {
        deliveries: observation.deliveries.map(deliveryResult),
        effect: effectOf(observation),
        reproduce: reproduce(observation, options),
      }),
    ),
    ...input.saleChecks.map((check) => {
      const outcome = input.sale.get(check.id) ?? { evaluation: unseen(ending) };
      return resultOf(check, outcome.evaluation, {
        deliveries: (outcome.attempts ?? []).map((attempt) => ({ ...NOT_LOGGED, ...attempt })),
        effect: outcome.effect ?? null,
        reproduce: commandFor(check.id, options),
      });
    }),
  ];
  for (const { deliveries, effect } of checks) {
    for (const delivery of deliveries) {
      if (delivery.response !== null) delivery.response = withoutSecret(delivery.response);
    }
    if (effect) {
      effect.before = withoutSecret(effect.before.slice(0, MAX_TEXT));
      effect.after = withoutSecret(effect.after.slice(0, MAX_TEXT));
    }
  }
  const totals: Record<CheckOutcome, number> = { pass: 0, fail: 0, advice: 0, unseen: 0 };
  for (const { result } of checks) totals[result] += 1;
  return {
    format: 1,
    sandlot: VERSION,
    url: options.url,
    started_at: isoTime(input.startedAt),
    duration_ms: input.durationMs,
    ok: totals.fail === 0 && input.connected,
    probe: facts.calibration?.kind ?? null,
    snapshot: input.snapshot,
    patterns: findPatterns(checks),
    totals,
    checks,
  };
}

function resultOf(
  { id, level, expected }: CheckInfo,
  { result, reason, note, meaning, fix }: Evaluation,
  { deliveries, effect, reproduce }: Pick<CheckResult, 'deliveries' | 'effect' | 'reproduce'>,
): CheckResult {
  return { id, level, result, reason, note, expected, deliveries, effect, meaning, fix, reproduce };
}

/** Returns the values of the probe before and after a check. */
function effectOf({ readings }: Observation): CheckResult['effect'] {
  const before = readings?.[0];
  const after = readings?.at(-1);
  if (!before || !after || before === after || isFailure(before) || isFailure(after)) return null;
  return { before: before.text, after: after.text };
}

function deliveryResult({ delivery, attempt }: Observation['deliveries'][number]): DeliveryResult {
  const { headers, body } = delivery;
  return {
    headers: [...headers],
    body_base64: body.length > MAX_SHOWN_BODY_BYTES ? null : body.toString('base64'),
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
    ...attempt,
  };
}

/** The sandbox sends the deliveries of `sale.*`, and its log does not have their bytes. */
const NOT_LOGGED = { headers: [], body_base64: null, bytes: null, sha256: null };

/** A curl line, or the command itself if curl cannot send what the check sends. */
function reproduce({ check, deliveries }: Observation, options: ReceiverTestOptions): string {
  const { url } = options;
  const again = commandFor(check.id, options);
  const [only, ...more] = deliveries;
  if (!only || more.length > 0) return again;
  const { headers, body, splitAt } = only.delivery;
  const text = body.toString();
  const isText = Buffer.from(text).equals(body) && escapeControls(text) === text;
  const names = headers.map(([name]) => name.toLowerCase());
  const isSendable =
    splitAt === undefined &&
    isText &&
    body.length <= MAX_SHOWN_BODY_BYTES &&
    new Set(names).size === names.length &&
    // curl leaves a header without a value out, and encodes what is not ASCII.
    headers.every(([, value]) => /^[ -~]+$/.test(value));
  if (!isSendable) return again;
  const sent = Object.fromEntries(headers.filter(([name]) => name !== 'Content-Length'));
  const flags = ['-i', '-m', '8'];
  return printCurl({ url, method: 'POST', headers: sent, body: text }, flags) ?? again;
}

/** Formats the command that runs a check, without the secret and what cannot be passed on the command line. */
function commandFor(id: string, { url, event, probe, sale }: ReceiverTestOptions): string {
  const words = ['sandlot', 'webhooks', 'test', '--only', id, '--url', url];
  if (event !== undefined && event !== 'order.recorded') words.push('--event', event);
  if (typeof probe === 'string') words.push('--probe', probe);
  if (groupOf(id) === 'sale') words.push('--sale', ...wordsOf(sale));
  return words.map(shellQuote).join(' ');
}

/** The options of `--sale`; a function cannot be passed on the command line. */
function wordsOf(sale: SaleOptions | undefined): string[] {
  return Object.entries(saleFlags(sale)).flatMap(([flag, value]) =>
    typeof value === 'string' ? [flag, value] : [],
  );
}

/** Returns the delivery that determined the result of a check. */
export function decisiveDelivery({
  expected,
  deliveries,
}: Pick<CheckResult, 'expected' | 'deliveries'>): DeliveryResult | undefined {
  const isWrong = ({ outcome }: DeliveryResult) =>
    expected.response === 'rejected' ? outcome === 'ok' : outcome !== 'ok' && outcome !== 'hung_up';
  return deliveries.find(isWrong) ?? deliveries.at(-1);
}

export function toJunit({ checks, started_at }: ReceiverTestReport): string {
  const cases = checks.map(({ id, result, reason, meaning, fix, deliveries }) => ({
    group: groupOf(id),
    name: id,
    ms: deliveries.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    failure: result === 'fail' && {
      message: reason,
      details: [meaning, fix, deliveries.at(-1)?.response].filter(Boolean).join('\n'),
    },
    skipped: result === 'advice' ? `advice: ${reason}` : result === 'unseen' && reason,
  }));
  return junitXml('receiver-tests', cases, started_at);
}

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
function findPatterns(checks: readonly CheckResult[]): string[] {
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
