import { createHash } from 'node:crypto';
import { printCurl, shellQuote } from '../../client/curl.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { isoTime } from '../../kernel/time.ts';
import { VERSION } from '../../version.ts';
import { groupOf } from './check.ts';
import { evaluate, type RunFacts } from './evaluate.ts';
import type { Observation } from './observe.ts';
import type { ReceiverTestOptions, SaleOptions } from './options.ts';
import { findPatterns } from './patterns.ts';
import { isFailure } from './probe.ts';
import {
  type CheckOutcome,
  type CheckResult,
  type DeliveryResult,
  type ReceiverTestReport,
  unseen,
} from './result.ts';
import type { SaleCheck } from './sale/checks.ts';
import type { SaleResult } from './sale/run.ts';

const MAX_SHOWN_BODY_BYTES = 8 * 1024;
const MAX_TEXT = 2_000;

interface ReportInput {
  options: ReceiverTestOptions;
  seen: readonly Observation[];
  saleChecks: readonly SaleCheck[];
  sale: readonly SaleResult[];
  snapshot: string | null;
  ending: string;
  facts: RunFacts;
  connected: boolean;
  startedAt: number;
  durationMs: number;
}

/** Makes the document of a run. The secret is in none of its texts. */
export function buildReport(input: ReportInput): ReceiverTestReport {
  const checks = [
    ...input.seen.map((seen) => resultOf(seen, input)),
    ...input.saleChecks.map((check) => saleResultOf(check, input)),
  ];
  const totals: Record<CheckOutcome, number> = { pass: 0, fail: 0, advice: 0, unseen: 0 };
  for (const { result } of checks) totals[result] += 1;
  const kind = input.facts.calibration?.kind ?? null;
  return {
    format: 1,
    sandlot: VERSION,
    url: input.options.url,
    started_at: isoTime(input.startedAt),
    duration_ms: input.durationMs,
    ok: totals.fail === 0 && input.connected,
    probe: kind,
    snapshot: input.snapshot,
    patterns: findPatterns(checks),
    totals,
    checks,
  };
}

function resultOf(seen: Observation, { options, facts }: ReportInput): CheckResult {
  const { check, deliveries, readings } = seen;
  const withoutSecret = (text: string) => text.replaceAll(options.secret, '[secret]');
  const { result, reason, note, meaning, fix } = evaluate(seen, facts);
  const before = readings?.[0];
  const after = readings?.at(-1);
  const isRead = before !== undefined && after !== undefined && before !== after;
  return {
    id: check.id,
    level: check.level,
    result,
    reason,
    note,
    expected: check.expected,
    deliveries: deliveries.map(({ delivery, attempt }) => ({
      headers: [...delivery.headers],
      body_base64:
        delivery.body.length > MAX_SHOWN_BODY_BYTES ? null : delivery.body.toString('base64'),
      bytes: delivery.body.length,
      sha256: createHash('sha256').update(delivery.body).digest('hex'),
      status: attempt.status,
      outcome: attempt.outcome,
      duration_ms: attempt.durationMs,
      response: attempt.response === null ? null : withoutSecret(attempt.response),
    })),
    effect:
      isRead && !isFailure(before) && !isFailure(after)
        ? { before: withoutSecret(cut(before.text)), after: withoutSecret(cut(after.text)) }
        : null,
    meaning,
    fix,
    reproduce: reproduce(seen, options),
  };
}

function saleResultOf(check: SaleCheck, { sale, ending, options }: ReportInput): CheckResult {
  const seen = sale.find((each) => each.check.id === check.id);
  const { id, level, expected } = check;
  const withoutSecret = (text: string) => text.replaceAll(options.secret, '[secret]');
  const effect = seen?.effect;
  return {
    id,
    level,
    expected,
    ...(seen?.evaluation ?? unseen(ending)),
    deliveries: (seen?.attempts ?? []).map(({ outcome, http_status: status, duration_ms }) => ({
      headers: [],
      body_base64: null,
      bytes: null,
      sha256: null,
      status,
      outcome,
      duration_ms,
      response: null,
    })),
    effect: effect
      ? { before: withoutSecret(cut(effect.before)), after: withoutSecret(cut(effect.after)) }
      : null,
    reproduce: commandFor(id, options),
  };
}

/** A curl line, or the command itself if curl cannot send what the check sends. */
function reproduce({ check, deliveries }: Observation, options: ReceiverTestOptions): string {
  const { url } = options;
  const again = commandFor(check.id, options);
  const [only, ...others] = deliveries;
  if (!only || others.length > 0) return again;
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

function commandFor(id: string, { url, event, sale }: ReceiverTestOptions): string {
  const words = ['sandlot', 'webhooks', 'test', '--only', id, '--url', url];
  if (event !== undefined && event !== 'order.recorded') words.push('--event', event);
  if (groupOf(id) === 'sale') words.push('--sale', ...commandsOf(sale));
  return words.map(shellQuote).join(' ');
}

function commandsOf({ as, buy, catchUp, rotate }: Partial<SaleOptions> = {}): string[] {
  const given = { '--as': as, '--buy': buy, '--catch-up': catchUp, '--rotate': rotate };
  const words: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    // A function cannot be passed on the command line.
    if (typeof value === 'string') words.push(name, value);
  }
  return words;
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
}

/** The delivery that determined the result of a check. */
export function decisiveDelivery({
  expected,
  deliveries,
}: Pick<CheckResult, 'expected' | 'deliveries'>): DeliveryResult | undefined {
  const isWrong = ({ outcome }: DeliveryResult) =>
    expected.response === 'rejected' ? outcome === 'ok' : outcome !== 'ok' && outcome !== 'hung_up';
  return deliveries.find(isWrong) ?? deliveries.at(-1);
}
