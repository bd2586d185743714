/** Says what a receiver that responded 401 or 403 probably has wrong, and what to compare; undefined for other responses. */
export function rejectionHint(httpStatus: number | null | undefined): string | undefined {
  if (httpStatus !== 401 && httpStatus !== 403) return undefined;
  return `The receiver responded ${httpStatus}: it probably has another secret. Compare its secret with that of the registration, and its signature of the body with the X-Service-Signature header. If the secrets are equal, the receiver does not verify the raw body.`;
}
