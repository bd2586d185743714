interface Answer {
  status: number;
  headers: { get(name: string): string | null };
}

interface Causes {
  /** Why fetch failed. */
  cause?: unknown;
  /** The process of the server record, if it has ended. */
  ended?: number;
  source?: string;
  /** The state folder whose sandbox does not run. */
  folder?: string;
  /** The response of another program. */
  answer?: Answer;
}

/** No sandbox responds at the URL; the message says what does. */
export class UnreachableError extends Error {
  readonly url: string;
  /** Whether another program answered. */
  readonly isOther: boolean;
  constructor(url: string, causes: Causes = {}) {
    const message = otherProgram(url, causes);
    super(message ?? notRunning(causes) ?? `no sandbox responds at ${url}${whyNot(causes)}`, {
      cause: causes.cause,
    });
    this.name = 'UnreachableError';
    this.url = url;
    this.isOther = message !== undefined;
  }
}

/** Returns whether fetch failed before a sandbox can have received the request. */
export function isUnreachable(cause: unknown): boolean {
  const { code = '', message } = failureOf(cause);
  // fetch does not connect to some ports, such as 1.
  return (
    message === 'bad port' || CONNECTION_CODES.has(code) || CERTIFICATE.test(code) || isTls(code)
  );
}

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const CERTIFICATE = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|ERR_TLS_CERT_)/;

function isTls(code: string): boolean {
  return code.startsWith('ERR_SSL_') || code === 'EPROTO';
}

function otherProgram(url: string, { cause, answer }: Causes): string | undefined {
  if (answer) return `${url} answers, but is not sandlot (${describeAnswer(answer)})`;
  const { name, code = '' } = failureOf(cause);
  if (CERTIFICATE.test(code)) {
    return `${url} has a certificate that is not trusted (${code}); name its authority in NODE_EXTRA_CA_CERTS`;
  }
  const [scheme = '', address = ''] = url.split('://');
  if (scheme === 'https') {
    return isTls(code) ? `${url} answers without TLS; try http://${address}` : undefined;
  }
  return name === 'HTTPParserError'
    ? `${url} answers, but not with HTTP; try https://${address}`
    : undefined;
}

function notRunning({ folder }: Causes): string | undefined {
  return folder === undefined ? undefined : `no sandbox runs with the state folder ${folder}`;
}

function describeAnswer({ status, headers }: Answer): string {
  const server = headers.get('server');
  if (server !== null) return `Server: ${server.slice(0, 100)}`;
  const type = headers.get('content-type')?.split(';', 1)[0] ?? 'no content type';
  return `status ${status}, ${type.slice(0, 100)}`;
}

function whyNot({ cause, ended, source }: Causes): string {
  if (ended !== undefined) return `: process ${ended}, which ${source} names, has ended`;
  const { code = '' } = failureOf(cause);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return ': this host name has no address';
  return CLOSED.has(code)
    ? ': it closed the connection without a response, as a server does that expects https'
    : '';
}

const CLOSED = new Set(['ECONNRESET', 'UND_ERR_SOCKET']);

/** fetch wraps the error of the connection. */
function failureOf(
  cause: unknown,
): Partial<Pick<NodeJS.ErrnoException, 'name' | 'code' | 'message'>> {
  const failure = (cause ?? {}) as Error;
  return (failure.cause ?? failure) as NodeJS.ErrnoException;
}
