/** Why no connection was made: the outcome, the codes of the errors of Node.js, and the reason. */
const FAILURES: readonly (readonly [outcome: string, codes: readonly string[], reason: string])[] =
  [
    ['connection_refused', ['ECONNREFUSED'], 'connection refused'],
    ['dns_failed', ['ENOTFOUND', 'EAI_AGAIN'], 'its name does not resolve'],
    ['unreachable', ['EHOSTUNREACH', 'ENETUNREACH'], 'there is no route to it'],
    ['connect_timeout', ['ETIMEDOUT'], 'no connection within 8 s'],
    ['connection_failed', [], 'the connection failed'],
    [
      'forbidden_address',
      ['ESANDLOTFORBIDDEN'],
      'its name resolves to a link-local, metadata, multicast or broadcast address',
    ],
    [
      'tls_failed',
      [],
      'the TLS handshake failed; use http:// if it has no certificate, or set NODE_EXTRA_CA_CERTS to a file with one that is not public',
    ],
  ];

export function outcomeOf(code: string): string | undefined {
  return FAILURES.find(([, codes]) => codes.includes(code))?.[0];
}

/** Explains why no connection was made. */
export function describeOutcome(outcome: string): string {
  return FAILURES.find(([name]) => name === outcome)?.[2] ?? outcome;
}

/** Limits and pauses of a run, in ms. Tests shorten them. */
export const TIMING = {
  /** A 200 after this time is late. */
  late: 5_000,
  /** For a response. */
  wait: 8_000,
  /** Between the writes of a delivery that is sent in pieces. */
  splitPause: 150,
  /** Between a closed connection and the same delivery again. */
  repeatPause: 1_000,
  /** Between two readings of the probe. */
  pollPause: 100,
  /** For the receiver to recover. */
  recovery: 10_000,
  /** Between two deliveries to a receiver that is recovering. */
  recoveryPause: 250,
};

export type Timing = typeof TIMING;
