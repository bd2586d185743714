import type {
  AttemptActivity,
  Evidence,
  GauntletActivity,
  LogEntryActivity,
  PageViewActivity,
  RequestActivity,
} from './activity.ts';

export const MAX_TEXT = 200;

/** `/orders` of `/api/partner/v1/orders`. */
export function shortPath(path: string): string {
  return path.replace(/^\/api\/partner(\/v1)?(?=\/)/, '');
}

/** Most evidence is replaced by newer evidence before it is stored, so its text is made when it is read. */
class LazyEvidence<About extends { id: string | null }> implements Evidence {
  readonly kind: Evidence['kind'];
  readonly at: number;
  readonly #about: About;
  readonly #describe: (about: About, more: readonly string[]) => string;
  readonly #more: readonly string[];

  constructor(
    kind: Evidence['kind'],
    at: number,
    about: About,
    describe: (about: About, more: readonly string[]) => string,
    more: readonly string[],
  ) {
    this.kind = kind;
    this.at = at;
    this.#about = about;
    this.#describe = describe;
    this.#more = more;
  }

  get id(): string | null {
    return this.#about.id;
  }

  get text(): string {
    return this.#describe(this.#about, this.#more);
  }
}

/** `POST /orders → 409 conflict, key 5f0c…`, with more added. */
export function requestEvidence(request: RequestActivity, ...more: string[]): Evidence {
  if (more.length > 0) return evidenceOf(request, more);
  request.evidence ??= evidenceOf(request, more);
  return request.evidence;
}

/** As `requestEvidence`, of several. */
export function requestsEvidence(
  requests: readonly RequestActivity[],
  ...more: string[]
): Evidence[] {
  return requests.map((request) => requestEvidence(request, ...more));
}

function evidenceOf(request: RequestActivity, more: readonly string[]): Evidence {
  return new LazyEvidence('request', request.at, request, describeRequest, more);
}

function describeRequest(request: RequestActivity, more: readonly string[]): string {
  const { method, path, query, status, code, complete, recordedOrder } = request;
  const outcome = complete ? `${status}${code ? ` ${code}` : ''}` : 'connection closed';
  const recorded = !complete && recordedOrder ? [`order ${recordedOrder} recorded`] : [];
  const key = request.idempotencyKey ? [`key ${request.idempotencyKey}`] : [];
  const asked = query === '' ? [] : [`query ${query}`];
  const parts = [outcome, ...recorded, ...more, ...key, ...asked].join(', ');
  return `${method} ${shortPath(path)} → ${parts}`;
}

export function attemptEvidence(attempt: AttemptActivity, ...more: string[]): Evidence {
  return new LazyEvidence('delivery', attempt.at, attempt, describeAttempt, more);
}

function describeAttempt(attempt: AttemptActivity, more: readonly string[]): string {
  const { type, event, status, outcome, signature } = attempt;
  const forged = signature === 'forged' ? 'forged ' : '';
  return `${forged}${type} ${event} → ${[status ?? outcome, ...more].join(', ')}`;
}

export function logEntryEvidence(entry: LogEntryActivity, what: string): Evidence {
  return new LazyEvidence('request', entry.at, entry, () => what, []);
}

export function pageViewEvidence({ id, at, session }: PageViewActivity): Evidence {
  return { kind: 'page', id, at, text: `checkout page of ${session} viewed` };
}

export function gauntletEvidence({ at, url }: GauntletActivity, what: string): Evidence {
  return { kind: 'action', id: null, at, text: `webhooks test --url ${url}: ${what}` };
}

/** The text of a piece of evidence, not longer than a stored one may be. */
export function cutText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
