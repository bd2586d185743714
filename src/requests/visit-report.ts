import type { HeaderList, KeptBody, RequestRow } from './schema.ts';
import type { Check, Step } from './trace.ts';

/**
 * What is remembered of a request until its row is written: plain JSON, since ten thousand of them as objects
 * would be most of what a busy sandbox has in memory.
 */
export interface VisitReport
  extends Pick<
    RequestRow,
    | 'api'
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
