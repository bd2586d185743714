import type { LoggedRequest } from '../../../requests/logged-request.ts';
import type { Paper } from '../../output.ts';

/** Colors by how a request ended. */
export function paintOutcome({ paint }: Paper): (text: string, request: LoggedRequest) => string {
  return (text, { status }) => {
    if (status === null || status >= 500) return paint.bad(text);
    return status >= 400 ? paint.doubtful(text) : paint.good(text);
  };
}
