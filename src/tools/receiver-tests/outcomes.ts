import type { TestAttempt, Texts } from './result.ts';

/** Why there is no status; other outcomes say it themselves. */
const REASONS: Readonly<Record<string, string>> = {
  hung_up: 'the check closed the connection',
  closed: 'the connection was closed without a response',
  no_response: 'no response within 8 s',
  not_http: 'the response was not HTTP',
  dns_failed: 'its name does not resolve',
  timeout: 'no connection within 8 s',
  forbidden_address: 'its name resolves to a link-local, metadata, multicast or broadcast address',
  tls_failed:
    'the TLS handshake failed; use http:// if it has no certificate, or set NODE_EXTRA_CA_CERTS to a file with one that is not public',
};

/** Outcomes after a connection was made. */
const CONNECTED = new Set(['hung_up', 'closed', 'no_response', 'not_http']);

/** Explains why there is no status. */
export function explainOutcome(outcome: string): string {
  return REASONS[outcome] ?? outcome.replaceAll('_', ' ');
}

/** Whether a connection was made, so that the receiver may have seen the delivery. */
export function isConnected({ status, outcome }: TestAttempt): boolean {
  return status !== null || CONNECTED.has(outcome);
}

/** Whether the receiver may no longer respond: 5xx, or no response at all. */
export function isTrouble({ status, outcome }: TestAttempt): boolean {
  return status === null ? outcome !== 'hung_up' : status >= 500;
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
  if (status === null) {
    const reason = isConnected(attempt) ? explainOutcome(outcome) : 'no connection was possible';
    return { reason, ...FAILED, rejected: false };
  }
  const isRejection = status >= 400 && status < 500;
  return {
    reason: isRejection ? 'a valid delivery was rejected' : `responded ${status} instead of 200`,
    ...mistakeOf(status),
    rejected: isRejection && status !== 429,
  };
}

/** Likely mistakes, by status. The first that matches counts. */
const MISTAKES: readonly (readonly [status: RegExp, meaning: string, fix: string])[] = [
  [/^[12]/, 'Accepted, but not with 200. The service will send it again.', 'Respond 200.'],
  [
    /^3/,
    'The service does not follow redirects.',
    'Register the final URL. Check scheme, host and trailing slash.',
  ],
  [/^40[45]/, 'This path does not accept POST.', 'Check the path.'],
  [
    /^409/,
    'A duplicate was treated as an error.',
    'Respond 200 to events that you have processed.',
  ],
  [
    /^419/,
    'CSRF protection rejected it before your code ran.',
    'Exempt this path from CSRF protection.',
  ],
  [
    /^(413|415|429)/,
    'A body parser or a rate limit rejected it before your code ran.',
    'Adjust the parser or the limit for this path.',
  ],
  [
    /^4/,
    'A valid delivery was rejected.',
    'Check the secret. Verify the raw body, before any JSON parser runs.',
  ],
  [
    /^5/,
    'The handler failed.',
    "See the receiver's log. Verify the raw body, before any JSON parser runs. Respond first, process later.",
  ],
];

function mistakeOf(status: number): Texts {
  const [, meaning, fix] = MISTAKES.find(([pattern]) => pattern.test(String(status))) ?? [];
  return meaning && fix ? { meaning, fix } : FAILED;
}

export const EARLY: Texts = {
  meaning: 'The receiver processes first and rejects later.',
  fix: 'Verify first.',
};
