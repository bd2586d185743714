import { canonicalString, MalformedQueryError } from '../../signing/canonical.ts';

const LINES = ['METHOD', 'PATH', 'QUERY', 'TIMESTAMP', 'NONCE', 'BODY_SHA256'];

/**
 * Names what is wrong with a canonical string that a client signs, by line.
 * @param expected that of the request; without it, each line is checked by itself
 */
export function canonicalProblems(signed: string, expected?: string | null): string[] {
  const lines = signed.split('\n');
  if (lines.length !== LINES.length) {
    return [`${lines.length} lines instead of ${LINES.length}: ${LINES.join(', ')}`];
  }
  const wanted = (expected ?? canonicalAgain(lines)).split('\n');
  const [, path = '', , timestamp = '', , hash = ''] = lines;
  return [
    ...LINES.flatMap((name, n) =>
      wanted[n] === lines[n] ? [] : [`${name}: ${quote(lines[n])}, expected ${quote(wanted[n])}`],
    ),
    ...(path.startsWith('/') ? [] : ['PATH: must start with /']),
    ...(/^\d{1,12}$/.test(timestamp) ? [] : ['TIMESTAMP: must be Unix time in seconds']),
    ...(/^[0-9a-f]{64}$/.test(hash) ? [] : ['BODY_SHA256: must be 64 lower-case hex digits']),
  ];
}

/** Returns the canonical string of the parts that another one names. */
function canonicalAgain(lines: readonly string[]): string {
  const [method = '', path = '', query = '', timestamp = '', nonce = '', bodySha256 = ''] = lines;
  try {
    return canonicalString({ method, path, query, timestamp, nonce, bodySha256 });
  } catch (error) {
    if (error instanceof MalformedQueryError)
      return lines.with(2, `not: ${error.message}`).join('\n');
    throw error;
  }
}

function quote(line: string | undefined): string {
  return JSON.stringify(line ?? '');
}
