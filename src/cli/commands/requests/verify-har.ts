import type { CommandContext } from '../../command.ts';
import { CheckFailedError, UsageError } from '../../failures.ts';
import { type HarRequest, HarSyntaxError, parseHar } from '../../har/parse-har.ts';
import { signingKey } from '../../partner-call.ts';
import { readFile } from '../../read-data.ts';
import { claimOf, rejectParts, type VerifyOptions } from './claim.ts';
import { judgeRequest, type Verdict } from './judge-request.ts';
import { showVerdict } from './show-verdict.ts';

/** What is found out about an entry. */
interface JudgedEntry extends Verdict {
  entry: number;
  method: string;
  /** Path and query, as sent. */
  target: string;
}

/** Judges the signed requests of a HAR file. @throws CheckFailedError when something is wrong with one */
export async function verifyHar(
  context: CommandContext,
  file: string,
  options: VerifyOptions,
): Promise<void> {
  if (options.curl !== undefined) throw new UsageError('--curl: expected either --curl or --har');
  rejectParts(options, 'the HAR file says that');
  const { io, out } = context;
  const name = file.replace(/^@/, '');
  const requests = read((await readFile(io, '--har', name)).toString(), options.entry);
  const secretOf = rememberingSecrets(context, options);
  const entries: JudgedEntry[] = [];
  for (const request of requests) {
    const claim = claimOf(request, options.keyId);
    const verdict = judgeRequest(claim, await secretOf(claim.keyId), io.runtime.now());
    entries.push(judged(request, verdict));
  }
  out.result({ entries }, (document, paper) =>
    document.entries.flatMap((each, index) => [
      ...(index > 0 ? [''] : []),
      paper.paint.faint(`entry ${each.entry}: ${each.method} ${each.target}`),
      ...showVerdict(each, paper),
    ]),
  );
  for (const { entry, warnings } of entries) {
    for (const warning of warnings) out.note(`entry ${entry}: ${warning}`);
  }
  const wrong = entries.filter(({ valid }) => !valid).map(({ entry }) => entry);
  if (wrong.length === 0) return;
  const summary = `${wrong.length} of ${entries.length} signed requests ${wrong.length === 1 ? 'is' : 'are'} not right: ${wrong.join(', ')}`;
  if (entries.length > 1) out.note(summary);
  throw new CheckFailedError(summary);
}

function read(text: string, entry: number | undefined): HarRequest[] {
  try {
    return parseHar(text, entry);
  } catch (error) {
    if (error instanceof HarSyntaxError) throw new UsageError(`--har: ${error.message}`);
    throw error;
  }
}

function judged(request: HarRequest, verdict: Verdict): JudgedEntry {
  const { entry, method, path, query } = request;
  const target = query === '' ? path : `${path}?${query}`;
  return { entry, method, target, ...withoutGuess(request, verdict) };
}

/** Where the body may be another, a signature over it says nothing, unless it fits what is there. */
function withoutGuess({ doubt, method, body }: HarRequest, verdict: Verdict): Verdict {
  const bodyCounts = !['GET', 'HEAD'].includes(method.toUpperCase());
  if (doubt === undefined || !bodyCounts || (verdict.valid && body.length > 0)) return verdict;
  const unknown = {
    code: 'body_unknown',
    also: [],
    summary: doubt,
    fix: 'The signature cannot be judged without it: export the bodies too, or use --curl or --data.',
  };
  const others = verdict.problems.filter(({ code }) => BESIDE_THE_SIGNATURE.has(code));
  return { ...verdict, valid: false, problems: [unknown, ...others], signed_string: null };
}

const BESIDE_THE_SIGNATURE = new Set([
  'missing_credentials',
  'missing_signature_headers',
  'invalid_timestamp',
  'malformed_query',
]);

/** Asks for the secret of each key once. */
function rememberingSecrets(context: CommandContext, { secret }: VerifyOptions) {
  const known = new Map<string | undefined, string>();
  return async (keyId: string | undefined): Promise<string> => {
    const found = secret ?? known.get(keyId) ?? (await signingKey(context, keyId)).secret;
    known.set(keyId, found);
    return found;
  };
}
