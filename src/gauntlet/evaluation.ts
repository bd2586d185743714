import type { CheckOutcome, Level } from './result.ts';

export interface Evaluation {
  result: CheckOutcome;
  reason: string;
  note: string | null;
  meaning: string | null;
  fix: string | null;
}

export interface Fault {
  reason: string;
  meaning: string | null;
  fix: string | null;
}

export function pass(reason = 'as expected', note: string | null = null): Evaluation {
  return { result: 'pass', reason, note, meaning: null, fix: null };
}

/** A failure of a `must` check, advice of another. */
export function wrong({ level }: { level: Level }, { reason, meaning, fix }: Fault): Evaluation {
  return { result: level === 'must' ? 'fail' : 'advice', reason, note: null, meaning, fix };
}

export function unseen(reason: string): Evaluation {
  return { result: 'unseen', reason, note: null, meaning: null, fix: null };
}
