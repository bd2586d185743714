import type { Explanation, TestAttempt } from './result.ts';

/** Why there is no status, by outcome; others say it themselves: `connection_refused`. */
const REASONS: Readonly<Record<string, string>> = {
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
export function mayHaveCrashed({ status, outcome }: TestAttempt): boolean {
  return status === null ? outcome !== 'hung_up' : status >= 500;
}

/** How a response differs from the expected 200 within 5 s. */
interface ResponseProblem extends Explanation {
  reason: string;
  /** Whether the explanation of the check is more precise: the receiver rejected what is unusual in the delivery. */
  checkExplains: boolean;
}

export const SEE_LOG = "See the receiver's log.";

const FAILED: Explanation = {
  meaning: 'The handler failed, crashed or hung.',
  fix: "See the receiver's log. Respond first, process later.",
};

/** @returns undefined for 200 in time, or if the check itself hung up */
export function responseProblem(attempt: TestAttempt): ResponseProblem | undefined {
  const { status, outcome, duration_ms: ms } = attempt;
  if (outcome === 'ok' || outcome === 'hung_up') return undefined;
  if (outcome === 'late') {
    return {
      reason: `200 after ${(ms / 1000).toFixed(1)} s, which is late`,
      meaning: 'The handler processes before it responds.',
      fix: 'Queue the event, respond, then process.',
      checkExplains: false,
    };
  }
  if (status === null) {
    const reason = isConnected(attempt) ? explainOutcome(outcome) : 'no connection was possible';
    return { reason, ...FAILED, checkExplains: false };
  }
  const isRejection = status >= 400 && status < 500;
  const { meaning, fix } = MISTAKES.find(({ statuses }) => statuses.test(`${status}`)) ?? FAILED;
  return {
    reason: isRejection ? 'a valid delivery was rejected' : `responded ${status} instead of 200`,
    meaning,
    fix,
    // A rejected duplicate and a rate limit have explanations of their own.
    checkExplains: isRejection && status !== 409 && status !== 429,
  };
}

/** Likely mistakes, by status. The first that matches counts. */
const MISTAKES: readonly (Explanation & { statuses: RegExp })[] = [
  {
    statuses: /^[12]/,
    meaning: 'Accepted, but not with 200. The service will send it again.',
    fix: 'Respond 200.',
  },
  {
    statuses: /^3/,
    meaning: 'The service does not follow redirects.',
    fix: 'Register the final URL. Check scheme, host and trailing slash.',
  },
  { statuses: /^40[45]/, meaning: 'This path does not accept POST.', fix: 'Check the path.' },
  {
    statuses: /^409/,
    meaning: 'A duplicate was treated as an error.',
    fix: 'Respond 200 to events that you have processed.',
  },
  {
    statuses: /^419/,
    meaning: 'CSRF protection rejected it before your code ran.',
    fix: 'Exempt this path from CSRF protection.',
  },
  {
    statuses: /^(413|415|429)/,
    meaning: 'A body parser or a rate limit rejected it before your code ran.',
    fix: 'Adjust the parser or the limit for this path.',
  },
  {
    statuses: /^4/,
    meaning: 'A valid delivery was rejected.',
    fix: 'Check the secret. Verify the raw body, before any JSON parser runs.',
  },
  {
    statuses: /^5/,
    meaning: 'The handler failed.',
    fix: "See the receiver's log. Verify the raw body, before any JSON parser runs. Respond first, process later.",
  },
];
