import type { Api } from '../../requests/apis.ts';
import { beginningOf } from '../../requests/keep-body.ts';
import type { Redaction } from '../../requests/redact.ts';
import type { RowOf } from '../../requests/request-log.ts';
import type { HeaderList, KeptBody } from '../../requests/schema.ts';
import type { Check, Detail, Step } from '../../requests/trace.ts';
import type { VisitReport } from '../../requests/visit-report.ts';
import { sha256Hex } from '../../signing/hash.ts';
import type { Endpoint } from '../endpoint.ts';
import { warningsAbout } from './warnings.ts';

/** In characters; a longer response may be truncated. */
const SURELY_WHOLE = 8_000;

/** Makes the rows of the request log of what was reported of requests to these endpoints, without secrets. */
export function rowsOf(endpoints: readonly Endpoint[]): RowOf {
  const declared = new Map(endpoints.map((each) => [`${each.method} ${each.path}`, each]));
  return function rowOf(text, known) {
    const report = JSON.parse(text) as VisitReport;
    const { headers, body, bodySha256, answer, answerHeaders, steps, signedString, ...plain } =
      report;
    // A truncated text may end with a part of a secret, and base64 hides what is spelled with escapes.
    const isWhole = body.altered === null && answer.length < SURELY_WHOLE;
    const redaction = isWhole && body.encoding === 'utf8' ? known.of(text) : known;
    const target = redaction.target(report.target);
    const { text: bodyText, ...aboutBody } = bodyOf(body, report.target, redaction);
    const { text: answerText, ...aboutAnswer } = answerOf(answer, report.api, redaction);
    const method = report.method === 'HEAD' ? 'GET' : report.method;
    const endpoint = declared.get(`${method} ${report.endpoint}`);
    const raw = Buffer.from(body.text, body.encoding);
    const trace = steps.map((step) => told(step, endpoint));
    return {
      ...plain,
      method: redaction.text(report.method),
      keyId: report.keyId && redaction.text(report.keyId),
      target,
      body: bodyText,
      answer: answerText,
      detail: {
        headers: redaction.headers(inPairs(headers)),
        bodySha256: bodySha256 ?? (body.bytes > 0 ? sha256Hex(raw) : null),
        body: aboutBody,
        answerHeaders: redaction.headers(answerHeaders),
        answer: aboutAnswer,
        trace: redaction.value(trace) as Step[],
        warnings: endpoint ? warningsAbout(endpoint, target, bodyText ?? '') : [],
        signedString: signedString && redaction.text(signedString),
      },
    };
  };
}

/** A step in full, with what the declaration of the endpoint says of it. */
function told(step: VisitReport['steps'][number], endpoint: Endpoint | undefined): Step {
  const { detail, ...rest }: Step =
    typeof step === 'string' ? { check: step, verdict: 'passed' } : step;
  const declared = endpoint && DECLARED[rest.check]?.(endpoint);
  return detail || declared ? { ...rest, detail: { ...declared, ...detail } } : rest;
}

const DECLARED: Partial<Record<Check, (endpoint: Endpoint) => Detail>> = {
  route: ({ path }) => ({ endpoint: path }),
  scope: ({ scopes }) => ({ needs: scopes }),
  rate_limit: ({ rateClass }) => ({ class: rateClass }),
};

function bodyOf(
  { text, encoding, bytes, altered }: VisitReport['body'],
  target: string,
  redaction: Redaction,
): KeptBody {
  if (bytes === 0) return { text: null, encoding: 'utf8', bytes, altered: null };
  const plain = encoding === 'utf8' ? text : Buffer.from(text, encoding).toString('latin1');
  const kept = redaction.body(plain, target, altered !== null);
  if (kept === plain) return { text, encoding, bytes, altered };
  const spelled = encoding === 'utf8' ? kept : Buffer.from(kept, 'latin1').toString(encoding);
  return { text: spelled, encoding, bytes, altered: altered ?? 'redacted' };
}

function answerOf(answer: string, api: Api, redaction: Redaction): KeptBody {
  const whole = Buffer.from(answer);
  if (whole.length === 0) return { text: null, encoding: 'utf8', bytes: 0, altered: null };
  const begin = beginningOf(whole);
  const isCut = begin.length < whole.length;
  const shown = isCut ? begin.toString() : answer;
  // Only the control API responds with fields that are secrets, whatever they look like.
  const text = api === 'control' ? redaction.response(shown, isCut) : redaction.text(shown, isCut);
  const altered = isCut ? 'cut' : text === shown ? null : 'redacted';
  return { text, encoding: 'utf8', bytes: whole.length, altered };
}

/** As Node lists them, names and values in turn, or in pairs already. */
function inPairs(headers: VisitReport['headers']): HeaderList {
  if (typeof headers[0] !== 'string') return headers as HeaderList;
  const flat = headers as readonly string[];
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return pairs;
}
