import { beginningOf } from '../../requests/keep-body.ts';
import type { Redaction } from '../../requests/redact.ts';
import type { RowOf } from '../../requests/request-log.ts';
import type { HeaderList, KeptBody } from '../../requests/schema.ts';
import type { Check, Detail, Step } from '../../requests/trace.ts';
import type { VisitReport } from '../../requests/visit-report.ts';
import { sha256Hex } from '../../signing/hash.ts';
import type { Endpoint } from '../endpoint.ts';
import { warningsAbout } from './warnings.ts';

/** Makes the rows of the request log of what was reported of requests to these endpoints, without secrets. */
export function rowsOf(endpoints: readonly Endpoint[]): RowOf {
  const declared = new Map(endpoints.map((each) => [`${each.method} ${each.path}`, each]));
  return function rowOf(text, redaction) {
    const report = JSON.parse(text) as VisitReport;
    const { headers, body, bodySha256, answer, answerHeaders, steps, signedString, ...plain } =
      report;
    const { text: bodyText, ...aboutBody } = withoutSecrets(body, report.target, redaction);
    const { text: answerText, ...aboutAnswer } = answerOf(answer, report, redaction);
    const method = report.method === 'HEAD' ? 'GET' : report.method;
    const endpoint = declared.get(`${method} ${report.endpoint}`);
    const raw = Buffer.from(body.text, body.encoding);
    return {
      ...plain,
      target: redaction.target(report.target),
      body: bodyText,
      answer: answerText,
      detail: {
        headers: redaction.headers(inPairs(headers)),
        bodySha256: bodySha256 ?? (body.bytes > 0 ? sha256Hex(raw) : null),
        body: aboutBody,
        answerHeaders: redaction.headers(answerHeaders),
        answer: aboutAnswer,
        trace: steps.map((step) => told(step, endpoint)),
        warnings: endpoint ? warningsAbout(endpoint, report.target, raw) : [],
        signedString,
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

function withoutSecrets(
  { text, encoding, bytes, altered }: VisitReport['body'],
  target: string,
  redaction: Redaction,
): KeptBody {
  if (bytes === 0) return { text: null, encoding: 'utf8', bytes, altered: null };
  const plain = encoding === 'utf8' ? text : Buffer.from(text, encoding).toString('latin1');
  const kept = redaction.body(plain, target);
  if (kept === plain) return { text, encoding, bytes, altered };
  return { text: kept, encoding: 'utf8', bytes, altered: altered ?? 'redacted' };
}

function answerOf(
  answer: string,
  { api, target }: Pick<VisitReport, 'api' | 'target'>,
  redaction: Redaction,
): KeptBody {
  const whole = Buffer.from(answer);
  const begin = beginningOf(whole);
  const altered = begin.length < whole.length ? 'cut' : null;
  if (whole.length === 0) return { text: null, encoding: 'utf8', bytes: 0, altered: null };
  const sent = altered === null ? answer : begin.toString();
  // Only the control API responds with fields that are secrets, whatever they look like.
  const text = api === 'control' ? redaction.body(sent, target) : redaction.text(sent);
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
