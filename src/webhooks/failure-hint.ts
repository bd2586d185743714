export const TLS_FAILED =
  'the TLS handshake failed; use http:// if it has no certificate; if its certificate is not public, start sandlot with NODE_EXTRA_CA_CERTS set to a file with it';

/** Says what is probably wrong after an attempt with this outcome, and what to do; undefined if the outcome says it. */
export function failureHint(outcome = ''): string | undefined {
  if (outcome === 'tls_failed') return `The receiver cannot be reached: ${TLS_FAILED}.`;
  if (/^status 3/.test(outcome)) return 'Redirects are not followed. Register the final URL.';
  if (!/^status 40[13]/.test(outcome)) return undefined;
  return `The receiver responded ${outcome.slice(7)}: it probably has another secret. Compare its secret with that of the registration, and its signature of the body with the X-Service-Signature header. If the secrets are equal, the receiver does not verify the raw body.`;
}
