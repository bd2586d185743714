import type { Paper } from '../../output.ts';
import type { RequestShape } from '../../shapes.ts';

/** `401 invalid_signature`, `201`, or that there was no answer. */
export function outcomeOf({ status, code }: Pick<RequestShape, 'status' | 'code'>): string {
  if (status === null) return 'cut';
  return code === null ? String(status) : `${status} ${code}`;
}

/** Colours by how a request ended. */
export function paintOutcome({ paint }: Paper): (text: string, request: RequestShape) => string {
  return (text, { status }) => {
    if (status === null || status >= 500) return paint.bad(text);
    return status >= 400 ? paint.doubtful(text) : paint.good(text);
  };
}
