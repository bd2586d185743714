import { REDACTED } from './redact.ts';
import type { HeaderList, KeptBody, RequestRow } from './schema.ts';
import type { Check, Step } from './trace.ts';

/**
 * What is remembered of a request until its row is written: plain JSON, since ten thousand of them as objects
 * would be most of what a busy sandbox has in memory.
 */
export interface VisitReport
  extends Pick<
    RequestRow,
    | 'door'
    | 'at'
    | 'receivedAt'
    | 'durationUs'
    | 'keyId'
    | 'partnerId'
    | 'environment'
    | 'method'
    | 'target'
    | 'endpoint'
    | 'status'
    | 'code'
  > {
  headers: HeaderList | readonly string[];
  /** The beginning of a long one. */
  body: {
    text: string;
    encoding: KeptBody['encoding'];
    bytes: number;
    altered: KeptBody['altered'];
  };
  /** Where `body` does not tell it. */
  bodySha256: string | null;
  answer: string;
  answerHeaders: HeaderList;
  /** A check that passed and found nothing to tell is its name alone, as most are. */
  steps: readonly (Step | Check)[];
  signedString: string | null;
}

export function shortened(steps: readonly Step[]): VisitReport['steps'] {
  return steps.map((step) =>
    step.verdict === 'passed' && step.detail === undefined ? step.check : step,
  );
}

/** The report as text, without the secret of whoever sent the request, wherever they may have put it. */
export function reportText(
  report: VisitReport,
  secret: string | undefined,
  bodySha256: () => string,
): string {
  const text = JSON.stringify(report);
  const spelled = secret === undefined ? '' : JSON.stringify(secret).slice(1, -1);
  if (spelled.length < SHORTEST_SECRET || !text.includes(spelled)) return text;
  const inBody = secret !== undefined && report.body.text.includes(secret);
  const altered = inBody
    ? { ...report.body, altered: report.body.altered ?? 'redacted' }
    : report.body;
  const told = { ...report, body: altered, bodySha256: report.bodySha256 ?? bodySha256() };
  return JSON.stringify(told).replaceAll(spelled, REDACTED);
}

/** A shorter one would be found in texts that have nothing to do with it. */
const SHORTEST_SECRET = 8;
