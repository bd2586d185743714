import { createHash } from 'node:crypto';
import { printCurl, shellQuote } from '../../client/curl.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { isoTime } from '../../kernel/time.ts';
import { VERSION } from '../../version.ts';
import { type Check, groupOf } from './check.ts';
import { isFailure } from './effect.ts';
import { evaluate, type RunFacts } from './evaluate.ts';
import { junitXml } from './junit.ts';
import type { Observation } from './observe.ts';
import type { ReceiverTestOptions } from './options.ts';
import type { CheckOutcome, CheckResult, DeliveryResult, ReceiverTestReport } from './result.ts';

const MAX_SHOWN_BODY_BYTES = 8 * 1024;
const MAX_TEXT = 2_000;

interface ReportInput {
  options: ReceiverTestOptions;
  observations: readonly Observation[];
  facts: RunFacts;
  connected: boolean;
  /** The likely cause if the receiver verifies something else than the raw body. */
  parsedBody: string | undefined;
  startedAt: number;
  durationMs: number;
}

/** Builds the report of a run, without the secret. */
export function buildReport(input: ReportInput): ReceiverTestReport {
  const { options, facts } = input;
  const withoutSecret = (text: string) => text.replaceAll(options.secret, '[secret]');
  const checks = input.observations.map((observation) => resultOf(observation, facts, options));
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
    patterns: findPatterns(checks, input.parsedBody),
    totals,
    checks,
  };
}

function resultOf(
  observation: Observation,
  facts: RunFacts,
  options: ReceiverTestOptions,
): CheckResult {
  const { id, level, expected }: Check = observation.check;
  const { result, reason, note, meaning, fix } = evaluate(observation, facts);
  return {
    ...{ id, level, result, reason, note, expected },
    deliveries: observation.deliveries.map(deliveryResult),
    effect: effectOf(observation),
    ...{ meaning, fix },
    reproduce: reproduce(observation, options),
  };
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

/** Returns a curl command, or the `webhooks test` command if curl cannot send the delivery. */
function reproduce({ check, deliveries }: Observation, options: ReceiverTestOptions): string {
  const { url } = options;
  const command = commandFor(check.id, options);
  const [delivery, ...otherDeliveries] = deliveries;
  if (!delivery || otherDeliveries.length > 0) return command;
  const { headers, body, splitAt } = delivery.delivery;
  const text = body.toString();
  const isText = Buffer.from(text).equals(body) && escapeControls(text) === text;
  const names = headers.map(([name]) => name.toLowerCase());
  const isSendable =
    splitAt === undefined &&
    isText &&
    body.length <= MAX_SHOWN_BODY_BYTES &&
    new Set(names).size === names.length &&
    // curl omits a header without a value, and encodes characters that are not ASCII.
    headers.every(([, value]) => /^[ -~]+$/.test(value));
  if (!isSendable) return command;
  const sentHeaders = Object.fromEntries(headers.filter(([name]) => name !== 'Content-Length'));
  const flags = ['-i', '-m', '8'];
  return printCurl({ url, method: 'POST', headers: sentHeaders, body: text }, flags) ?? command;
}

/** Returns the command that runs a check, without the secret and functions. */
function commandFor(id: string, { url, event, probe }: ReceiverTestOptions): string {
  const words = ['sandlot', 'webhooks', 'test', '--only', id, '--url', url];
  if (event !== undefined && event !== 'order.recorded') words.push('--event', event);
  if (typeof probe === 'string') words.push('--probe', probe);
  return words.map(shellQuote).join(' ');
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
  matches(checks: Results): boolean;
}

const PATTERNS: readonly Pattern[] = [
  {
    text: 'the receiver verifies re-serialized JSON instead of the raw body.',
    matches: ({ all }) =>
      all(['body.pretty', 'body.escapes', 'body.fields'], isRejected) &&
      all(['sig.reserialized'], isAccepted),
  },
  {
    text: 'the receiver does not verify signatures.',
    // A body that is not JSON is rejected by the parser.
    matches: ({ allOf }) =>
      allOf('sig', (check) => check.id === 'sig.not_json' || isAccepted(check)),
  },
  {
    text: 'the secret of the receiver is not set.',
    matches: ({ all, allOf }) => allOf('right', isRejected) && all(['sig.empty_key'], isAccepted),
  },
  {
    text: 'the CSRF protection of your framework rejects deliveries.',
    matches: ({ allOf }) =>
      allOf('right', (check) => isRejected(check) && check.deliveries.some(isAboutCsrf)),
  },
  {
    text: 'the body is parsed before the signature is verified. Read the raw body first.',
    matches: ({ allOf }) => allOf('right', ({ deliveries }) => deliveries.some(isAboutParsedBody)),
  },
  {
    text: 'the receiver decodes pieces of the body as text.',
    matches: ({ all, failed }) => all(['wire.split'], isRejected) && failed('body', 'wire') === 1,
  },
  {
    text: 'the schema of the receiver is strict.',
    matches: ({ all }) =>
      all(['body.pretty'], ({ result }) => result === 'pass') &&
      all(['body.escapes', 'body.utf8', 'body.fields', 'wire.split'], isRejected),
  },
  {
    text: 'the receiver processes before it responds.',
    matches: ({ allOf, times }) =>
      allOf('right', isLate) &&
      Math.max(...times('right')) - Math.min(...times('right')) < ALIKE_MS,
  },
];

/** Response times that differ by less are considered alike. */
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

/** Whether a response is like those of the CSRF protection of Laravel, Django and Rails. */
function isAboutCsrf({ status, response }: DeliveryResult): boolean {
  return status === 419 || /csrf|authenticity.?token/i.test(response ?? '');
}

/** Whether a response has the error of Node.js, fetch or Django about a body that was parsed or read before. */
function isAboutParsedBody({ response }: DeliveryResult): boolean {
  return /received an instance of object|body is unusable|body (has )?already (been )?(read|used|consumed)|cannot access body after reading/i.test(
    response ?? '',
  );
}

/** Returns likely causes, each as a sentence. */
function findPatterns(checks: readonly CheckResult[], parsedBody: string | undefined): string[] {
  const results = resultsOf(checks);
  const texts = PATTERNS.filter(({ matches }) => matches(results)).map(({ text }) => text);
  if (parsedBody !== undefined) texts.unshift(parsedBody);
  return texts.map((text) => `Likely cause: ${text}`);
}

type Results = ReturnType<typeof resultsOf>;

function resultsOf(checks: readonly CheckResult[]) {
  const inGroups = (groups: string[]) => checks.filter(({ id }) => groups.includes(groupOf(id)));
  return {
    all: (ids: readonly string[], condition: Condition) =>
      ids.every((id) => checks.some((check) => check.id === id && condition(check))),
    /** Whether every selected `must` check of a group meets a condition. */
    allOf(group: string, condition: Condition) {
      const musts = inGroups([group]).filter(({ level }) => level === 'must');
      return musts.length > 1 && musts.every(condition);
    },
    failed: (...groups: string[]) =>
      inGroups(groups).filter(({ result }) => result === 'fail').length,
    times: (group: string) =>
      inGroups([group]).flatMap(({ deliveries }) => deliveries.map(({ duration_ms: ms }) => ms)),
  };
}
