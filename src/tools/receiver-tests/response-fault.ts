import type { Attempt } from './transport.ts';

/** How a response differs from the expected 200 within 5 s. */
interface ResponseFault {
  reason: string;
  meaning: string;
  fix: string;
  /** Whether the receiver rejected the delivery, so that the check itself knows better what it means. */
  rejected: boolean;
}

type Texts = Omit<ResponseFault, 'reason' | 'rejected'>;

const REJECTED: Texts = {
  meaning: 'A valid delivery was rejected.',
  fix: 'Check the secret. Verify the bytes as received.',
};
const FAILED: Texts = {
  meaning: 'The handler failed, crashed or hung.',
  fix: "See the receiver's log. Respond first, process later.",
};

/** @returns undefined for 200 in time */
export function responseFault({ status, outcome, durationMs }: Attempt): ResponseFault | undefined {
  if (outcome === 'ok') return undefined;
  if (outcome === 'late') {
    return {
      reason: `200 after ${(durationMs / 1000).toFixed(1)} s, which is late`,
      meaning: 'The handler processes before it responds.',
      fix: 'Queue the event, respond, then process.',
      rejected: false,
    };
  }
  if (status === null)
    return { reason: NO_STATUS[outcome] ?? NOT_CONNECTED, ...FAILED, rejected: false };
  const said = `responded ${status} instead of 200`;
  if (status < 300) {
    const meaning = 'Accepted, but not with 200. The service will send it again.';
    return { reason: said, meaning, fix: 'Respond 200.', rejected: false };
  }
  if (status < 400) {
    return {
      reason: said,
      meaning: 'The service does not follow redirects.',
      fix: 'Register the final URL. Check scheme, host and trailing slash.',
      rejected: false,
    };
  }
  if (status >= 500) return { reason: said, ...FAILED, rejected: false };
  return { reason: 'a valid delivery was rejected', ...textsOf(status), rejected: status !== 429 };
}

export const EARLY = {
  reason: 'a forged delivery took effect',
  meaning: 'The receiver processes first and rejects later.',
  fix: 'Verify first.',
};

export const CRASHED =
  'The receiver crashed instead of rejecting. Often a length check is missing before the constant-time comparison.';

const NOT_CONNECTED = 'no connection was possible';
const NO_STATUS: Record<string, string> = {
  closed: 'the connection was closed without a response',
  no_response: 'no response within 8 s',
  no_response_in_time: 'no response within 5 s',
  not_http: 'the response was not HTTP',
};

function textsOf(status: number): Texts {
  switch (status) {
    case 404:
    case 405:
      return { meaning: 'This path does not accept POST.', fix: 'Check the path.' };
    case 409:
      return {
        meaning: 'A duplicate was treated as an error.',
        fix: 'Respond 200 to events that you have processed.',
      };
    case 419:
      return {
        meaning: 'CSRF protection rejected it before your code ran.',
        fix: 'Exempt this path from CSRF protection.',
      };
    case 413:
    case 415:
    case 429:
      return {
        meaning: 'A body parser or a rate limit rejected it before your code ran.',
        fix: 'Adjust the parser or the limit for this path.',
      };
    default:
      return REJECTED;
  }
}

/** Whether the receiver may not have survived: 5xx, or no response at all. */
export function isTrouble({ status, outcome }: Attempt): boolean {
  return status === null ? outcome !== 'hung_up' : status >= 500;
}
