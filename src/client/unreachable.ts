interface Answer {
  status: number;
  headers: { get(name: string): string | null };
}

interface Causes {
  /** Why fetch failed. */
  cause?: unknown;
  /** The response of another program. */
  answer?: Answer;
  /** What is known without a request. */
  message?: string;
}

/** No sandbox responds at the URL. */
export class UnreachableError extends Error {
  readonly url: string;
  /** Whether another program answered. */
  readonly isOther: boolean;
  constructor(url: string, { cause, answer, message }: Causes = {}) {
    const other = answer && `${url} answers, but is not sandlot (${describeAnswer(answer)})`;
    super(message ?? other ?? `no sandbox responds at ${url}${describeFailure(cause)}`, { cause });
    this.name = 'UnreachableError';
    this.url = url;
    this.isOther = answer !== undefined;
  }
}

function describeAnswer({ status, headers }: Answer): string {
  const server = headers.get('server');
  if (server !== null) return `Server: ${server.slice(0, 100)}`;
  const type = headers.get('content-type')?.split(';', 1)[0] ?? 'no content type';
  return `status ${status}, ${type.slice(0, 100)}`;
}

/** Returns why a connection failed, unless that says no more than the message. */
function describeFailure(cause: unknown): string {
  const { code, message } = failureOf(cause);
  const reason = code || message;
  return reason === undefined || reason === 'ECONNREFUSED' ? '' : ` (${reason})`;
}

/** Returns the error of the connection, in which fetch wraps its own. */
export function failureOf(cause: unknown): Partial<Error & { code: string }> {
  const failure = (cause ?? {}) as Error;
  return (failure.cause ?? failure) as Partial<Error & { code: string }>;
}
