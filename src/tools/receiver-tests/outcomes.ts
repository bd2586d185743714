import type { TestAttempt, Texts } from './result.ts';

interface Outcome {
  /** Why there is no status. */
  reason: string;
  /** Of the errors of Node.js with this outcome. */
  codes?: readonly string[];
  /** The receiver may have seen the delivery. */
  isConnected?: true;
}

/** Outcomes of an attempt without a status. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  hung_up: { reason: 'the check closed the connection', isConnected: true },
  closed: { reason: 'the connection was closed without a response', isConnected: true },
  no_response: { reason: 'no response within 8 s', isConnected: true },
  not_http: { reason: 'the response was not HTTP', isConnected: true },
  connection_refused: { reason: 'connection refused', codes: ['ECONNREFUSED'] },
  dns_failed: { reason: 'its name does not resolve', codes: ['ENOTFOUND', 'EAI_AGAIN'] },
  unreachable: { reason: 'there is no route to it', codes: ['EHOSTUNREACH', 'ENETUNREACH'] },
  connect_timeout: { reason: 'no connection within 8 s', codes: ['ETIMEDOUT'] },
  connection_failed: { reason: 'the connection failed' },
  forbidden_address: {
    reason: 'its name resolves to a link-local, metadata, multicast or broadcast address',
    codes: ['ESANDLOTFORBIDDEN'],
  },
  tls_failed: {
    reason:
      'the TLS handshake failed; use http:// if it has no certificate, or set NODE_EXTRA_CA_CERTS to a file with one that is not public',
  },
};

/** Returns the outcome of a connection that failed with this code. */
export function outcomeOf(code: string): string | undefined {
  return Object.keys(OUTCOMES).find((outcome) => OUTCOMES[outcome]?.codes?.includes(code));
}

/** Explains why no connection was made. */
export function explainOutcome(outcome: string): string {
  return OUTCOMES[outcome]?.reason ?? outcome;
}

/** Whether a connection was made, so that the receiver may have seen the delivery. */
export function isConnected({ status, outcome }: TestAttempt): boolean {
  return status !== null || OUTCOMES[outcome]?.isConnected === true;
}

/** Whether the receiver may no longer respond: 5xx, or no response at all. */
export function isTrouble({ status, outcome }: TestAttempt): boolean {
  return status === null ? outcome !== 'hung_up' : status >= 500;
}

function describeMissing(attempt: TestAttempt): string {
  return isConnected(attempt) ? explainOutcome(attempt.outcome) : 'no connection was possible';
}

/** How a response differs from the expected 200 within 5 s. */
interface ResponseFault extends Texts {
  reason: string;
  /** Whether the receiver rejected the delivery. The texts of the check are then more precise. */
  rejected: boolean;
}

export const SEE_LOG = "See the receiver's log.";

const FAILED: Texts = {
  meaning: 'The handler failed, crashed or hung.',
  fix: "See the receiver's log. Respond first, process later.",
};

/** @returns undefined for 200 in time */
export function responseFault(attempt: TestAttempt): ResponseFault | undefined {
  const { status, outcome, duration_ms: ms } = attempt;
  if (outcome === 'ok') return undefined;
  if (outcome === 'late') {
    return {
      reason: `200 after ${(ms / 1000).toFixed(1)} s, which is late`,
      meaning: 'The handler processes before it responds.',
      fix: 'Queue the event, respond, then process.',
      rejected: false,
    };
  }
  if (status === null) return { reason: describeMissing(attempt), ...FAILED, rejected: false };
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
export function describeCrash(attempt: TestAttempt): string {
  const { status } = attempt;
  const failure = status === null ? describeMissing(attempt) : `it responded ${status}`;
  return `The receiver failed instead of rejecting: ${failure}. ${SEE_LOG}`;
}
