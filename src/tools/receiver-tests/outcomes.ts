import { TLS_FAILED } from '../../webhooks/failure-hint.ts';
import type { Explanation, TestAttempt } from './result.ts';

/** Why there is no status, by outcome; others say it themselves: `connection_refused`. */
const REASONS: Readonly<Record<string, string>> = {
  closed: 'the connection was closed without a response',
  no_response: 'no response within 8 s',
  not_http: 'the response was not HTTP',
  dns_failed: 'its name does not resolve',
  timeout: 'no connection within 8 s',
  forbidden_address: 'its name resolves to a link-local, metadata, multicast or broadcast address',
  tls_failed: TLS_FAILED,
};

/** Outcomes without a status after a connection was made. */
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

export const SEE_LOG = "See the receiver's log.";

const FAILED: Explanation = {
  meaning: 'The handler failed, crashed or hung.',
  fix: "See the receiver's log. Verify the raw body, before any JSON parser runs. Respond first, process later.",
};

const DUPLICATE_REJECTED: Explanation = {
  meaning: 'A duplicate was treated as an error.',
  fix: 'Respond 200 to events that you have processed.',
};

/**
 * Says how a response differs from 200 within 5 s, and whether the explanation of its check is more precise; undefined for
 * 200 in time, or if the check itself hung up. @param ofDuplicate whether the check is about duplicates
 */
export function responseProblem(attempt: TestAttempt, ofDuplicate = false) {
  const { status, outcome } = attempt;
  if (outcome === 'ok' || outcome === 'hung_up') return undefined;
  const response = outcome === 'late' ? outcome : `${status ?? outcome}`;
  const mistake = MISTAKES.find(({ pattern }) => pattern.test(response)) ?? FAILED;
  const isRejected = /^4(?!29)/.test(response);
  const { meaning, fix } = ofDuplicate && isRejected ? DUPLICATE_REJECTED : mistake;
  const checkExplains = !ofDuplicate && (isRejected || response.startsWith('5'));
  return { reason: reasonOf(attempt), meaning, fix, checkExplains };
}

/** Says what is wrong with a response that is not 200 in time. */
export function reasonOf({ status, outcome, duration_ms: ms }: TestAttempt): string {
  if (outcome === 'late') return `200 after ${(ms / 1000).toFixed(1)} s, which is late`;
  if (status === null)
    return CONNECTED.has(outcome) ? explainOutcome(outcome) : 'no connection was possible';
  return status >= 400 && status < 500
    ? 'a valid delivery was rejected'
    : `responded ${status} instead of 200`;
}

/** Likely mistakes, by status, or outcome without one. The first that matches counts. */
const MISTAKES: readonly (Explanation & { pattern: RegExp })[] = [
  {
    pattern: /^late/,
    meaning: 'The handler processes before it responds.',
    fix: 'Queue the event, respond, then process.',
  },
  {
    pattern: /^not_http/,
    meaning: 'What listens on this port is not an HTTP server.',
    fix: 'Check the port.',
  },
  {
    pattern: /^[12]/,
    meaning: 'Accepted, but not with 200. The service will send it again.',
    fix: 'Respond 200.',
  },
  {
    pattern: /^3/,
    meaning: 'The service does not follow redirects.',
    fix: 'Register the final URL. Check scheme, host and trailing slash.',
  },
  {
    pattern: /^40[49]/,
    meaning: 'The receiver rejects orders that it does not know, or the path does not exist.',
    fix: 'Respond 200 to events about unknown orders. Check the path.',
  },
  { pattern: /^405/, meaning: 'This path does not accept POST.', fix: 'Check the path.' },
  {
    pattern: /^419/,
    meaning: 'CSRF protection rejected it before your code ran.',
    fix: 'Exempt this path from CSRF protection.',
  },
  {
    pattern: /^(413|415|429)/,
    meaning: 'A body parser or a rate limit rejected it before your code ran.',
    fix: 'Adjust the parser or the limit for this path.',
  },
  {
    pattern: /^4/,
    meaning: 'A valid delivery was rejected.',
    fix: 'Check the secret. Verify the raw body, before any JSON parser runs.',
  },
];
