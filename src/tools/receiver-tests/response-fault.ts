import type { Attempt, Texts } from './result.ts';

/** How a response differs from the expected 200 within 5 s. */
interface ResponseFault extends Texts {
  reason: string;
  /** Whether the receiver rejected the delivery. The texts of the check are then more precise. */
  rejected: boolean;
}

const FAILED: Texts = {
  meaning: 'The handler failed, crashed or hung.',
  fix: "See the receiver's log. Respond first, process later.",
};

/** @returns undefined for 200 in time */
export function responseFault({
  status,
  outcome,
  duration_ms: ms,
}: Attempt): ResponseFault | undefined {
  if (outcome === 'ok') return undefined;
  if (outcome === 'late') {
    return {
      reason: `200 after ${(ms / 1000).toFixed(1)} s, which is late`,
      meaning: 'The handler processes before it responds.',
      fix: 'Queue the event, respond, then process.',
      rejected: false,
    };
  }
  if (status === null) {
    return { reason: NO_STATUS[outcome] ?? NOT_CONNECTED, ...FAILED, rejected: false };
  }
  const isRejection = status >= 400 && status < 500;
  return {
    reason: isRejection ? 'a valid delivery was rejected' : `responded ${status} instead of 200`,
    ...(BY_STATUS[status] ?? BY_CLASS[Math.floor(status / 100)] ?? FAILED),
    rejected: isRejection && status !== 429,
  };
}

const PARSER_OR_LIMIT: Texts = {
  meaning: 'A body parser or a rate limit rejected it before your code ran.',
  fix: 'Adjust the parser or the limit for this path.',
};
const ACCEPTED: Texts = {
  meaning: 'Accepted, but not with 200. The service will send it again.',
  fix: 'Respond 200.',
};
const WRONG_PATH: Texts = { meaning: 'This path does not accept POST.', fix: 'Check the path.' };

const BY_STATUS: Readonly<Record<number, Texts>> = {
  404: WRONG_PATH,
  405: WRONG_PATH,
  409: {
    meaning: 'A duplicate was treated as an error.',
    fix: 'Respond 200 to events that you have processed.',
  },
  413: PARSER_OR_LIMIT,
  415: PARSER_OR_LIMIT,
  419: {
    meaning: 'CSRF protection rejected it before your code ran.',
    fix: 'Exempt this path from CSRF protection.',
  },
  429: PARSER_OR_LIMIT,
};

/** By the first digit of the status. */
const BY_CLASS: Readonly<Record<number, Texts>> = {
  1: ACCEPTED,
  2: ACCEPTED,
  3: {
    meaning: 'The service does not follow redirects.',
    fix: 'Register the final URL. Check scheme, host and trailing slash.',
  },
  4: {
    meaning: 'A valid delivery was rejected.',
    fix: 'Check the secret. Verify the raw body, before any JSON parser runs.',
  },
  5: {
    meaning: 'The handler failed.',
    fix: "See the receiver's log. Verify the raw body, before any JSON parser runs. Respond first, process later.",
  },
};

export const EARLY: Texts = {
  meaning: 'The receiver processes first and rejects later.',
  fix: 'Verify first.',
};

/** Says how the receiver failed at a delivery that it should reject. */
export function describeCrash({ status, outcome }: Attempt): string {
  const failure =
    status === null ? (NO_STATUS[outcome] ?? NOT_CONNECTED) : `it responded ${status}`;
  return `The receiver failed instead of rejecting: ${failure}. ${SEE_LOG}`;
}

export const SEE_LOG = "See the receiver's log.";

const NOT_CONNECTED = 'no connection was possible';
/** Outcomes of a connection without a status. */
const NO_STATUS: Record<string, string> = {
  closed: 'the connection was closed without a response',
  no_response: 'no response within 8 s',
  not_http: 'the response was not HTTP',
};

/** Whether a connection was made, so that the receiver may have seen the delivery. */
export function isConnected({ status, outcome }: Attempt): boolean {
  return status !== null || outcome === 'hung_up' || outcome in NO_STATUS;
}

/** Whether the receiver may no longer respond: 5xx, or no response at all. */
export function isTrouble({ status, outcome }: Attempt): boolean {
  return status === null ? outcome !== 'hung_up' : status >= 500;
}
