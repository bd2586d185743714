/** No sandbox responds at the URL: nothing does, or another program, or a sandbox takes longer than `fetch` waits. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly url: string;
  /** @param options the cause is the error of fetch, or says what another program responded */
  constructor(url: string, options: { cause?: unknown } = {}) {
    super(`no sandbox responds at ${url}${describeFailure(options.cause)}`, options);
    this.url = url;
  }
}

/** Returns why a connection failed, unless that says no more than the message. */
function describeFailure(cause: unknown): string {
  const { code, message } = connectionErrorOf(cause);
  // For example a clock advance over receivers that hang, which goes on.
  if (code === WAITED_TOO_LONG) return ' within 5 minutes; the call may still be running there';
  const reason = code || message;
  return reason === undefined || reason === 'ECONNREFUSED' ? '' : ` (${reason})`;
}

/** The code of `fetch` after 5 minutes without a response to a request that was sent. */
export const WAITED_TOO_LONG = 'UND_ERR_HEADERS_TIMEOUT';

/** Returns the error of the connection, in which fetch wraps its own. */
export function connectionErrorOf(cause: unknown) {
  const failure = (cause ?? {}) as Error;
  const { code, message } = (failure.cause ?? failure) as Partial<Error & { code: unknown }>;
  // The code of a timeout is a number, 23, which says nothing.
  return { code: typeof code === 'string' ? code : undefined, message };
}
