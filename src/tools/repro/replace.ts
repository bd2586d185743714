import { createHash } from 'node:crypto';
import { webhookUrlProblem } from '../../webhooks/url-policy.ts';
import { policyOf } from './column-policy.ts';
import { findEmails } from './emails.ts';
import { bodyOf, bytesOf, type ReproRow, type RequestRecord } from './format.ts';
import { isPlaceholder } from './placeholders.ts';
import { isJson, mapForm, mapJson, omitted } from './structured.ts';
import { levelsOf, personalSearch } from './text-search.ts';

/** Targets whose bodies are not JSON. */
const IMPORT = /^\/_sandbox\/(?:inventory|worlds)\/import\b/;
/** A longer value keeps its length, because its field may reject it as too long. */
const MAX_USUAL_LENGTH = 64;
/** The default buyer of the control API, which a replay uses again. */
const CONTROL_API_BUYER = 'buyer@example.com';

interface Kind {
  /** Whether values that differ only in case are different. */
  isCaseSensitive: boolean;
  /** Whether a value is replaced in all texts, not only in its field. */
  isReplacedEverywhere(value: string): boolean;
  /** The parts of a placeholder, between which it is padded. */
  placeholder(value: string, n: number): readonly [before: string, after: string];
}

const KINDS = {
  buyer_email: {
    isCaseSensitive: false,
    isReplacedEverywhere: (value) => value.includes('@'),
    placeholder: (_value, n) => [`buyer-${n}`, '@example.invalid'],
  },
  buyer_name: {
    isCaseSensitive: false,
    // A name of one word may also be an ordinary word.
    isReplacedEverywhere: (value) => /\s/.test(value),
    placeholder: (_value, n) => [`buyer-${n}`, ''],
  },
  webhook_url: {
    isCaseSensitive: true,
    isReplacedEverywhere: (value) => webhookUrlProblem(value) === undefined,
    placeholder: (value, n) => [
      `${/^https:/i.test(value) ? 'https' : 'http'}://receiver-${n}.invalid/`,
      '',
    ],
  },
} satisfies Record<string, Kind>;

type ValueKind = keyof typeof KINDS;
export type PersonalKind = ValueKind | 'receiver_response';

/** The meaning of a text in a file. */
type Role = PersonalKind | 'text' | 'fingerprint';
/** Returns the text or its replacement. */
type TextVisitor = (text: string, role: Role) => string;

/**
 * Replaces personal data in the rows and the requests of a file. `collect` all lines first: a value is also replaced in
 * lines before the one that shows its kind.
 */
export class PersonalData {
  /** Finds the values that are replaced in all texts. */
  readonly #search = personalSearch();
  /** By kind and value, names and addresses in lower case; in the order in which they were replaced. */
  readonly #placeholders = new Map<string, string>();
  /** Kinds of the values in the search. */
  readonly #kinds = new Map<string, ValueKind>();
  readonly #counts = new Map<PersonalKind, Set<string>>();
  /** New SHA-256 of changed bodies, by the old one. */
  readonly #fingerprints = new Map<string, string>();
  #isSealed = false;

  /** Number of different replaced values, by kind. */
  get counts(): Partial<Record<PersonalKind, number>> {
    return Object.fromEntries([...this.#counts].map(([kind, values]) => [kind, values.size]));
  }

  /** Returns the replaced values, which must not be in the file. */
  originals(): string[] {
    const placeholders = new Set(this.#placeholders.values());
    return [...this.#kinds.keys()].filter((value) => !placeholders.has(value.toLowerCase()));
  }

  /** From now on, replaces only values that already have a placeholder: for the output of a replay. */
  seal(): void {
    this.#isSealed = true;
  }

  collect(line: ReproRow | RequestRecord): void {
    if (line.kind === 'request') mapRequest(line, this.#collect);
    else mapRow(line, this.#collect);
  }

  /** Replaces a body that cannot be parsed by a note of its length. */
  request(request: RequestRecord): RequestRecord {
    if (!request.body) return mapRequest(request, this.#replace);
    const { body, api, target } = request;
    const isParsed =
      IMPORT.test(target) || ('text' in body && (api === 'page' || isJson(body.text)));
    const source = isParsed ? request : { ...request, body: bodyOf(omitted(bytesOf(body))) };
    const result = mapRequest(source, this.#replace);
    const [before, after] = [request, result].map(sha256OfBody);
    if (before !== undefined && after !== undefined) this.#fingerprints.set(before, after);
    return result;
  }

  /** Call it after `request`: an idempotency key may refer to a body. */
  row(row: ReproRow): ReproRow {
    return mapRow(row, this.#replace);
  }

  /** Replaces the names and responses of receivers in fields of a JSON document, and all known values. */
  text(text: string): string {
    const result = mapPersonal(text, (value, role) => {
      if (role === 'receiver_response') return anonymize(value);
      return role === 'buyer_name' ? this.#placeholderOf(role, value) : value;
    });
    return this.#search.replace(result, ({ value, text: match }) => {
      const kind = this.#kinds.get(value);
      return kind ? this.#placeholderOf(kind, value, match) : match;
    });
  }

  readonly #collect: TextVisitor = (text, role) => {
    if (role === 'text') {
      mapPersonal(text, this.#collect);
      for (const level of levelsOf(text)) {
        for (const email of findEmails(level.text)) this.#collect(email, 'buyer_email');
      }
      return text;
    }
    const value = text.trim();
    if (isValueKind(role) && KINDS[role].isReplacedEverywhere(value) && isPersonal(value)) {
      this.#search.add([value]);
      this.#kinds.set(value, role);
    }
    return text;
  };

  readonly #replace: TextVisitor = (text, role) => {
    switch (role) {
      case 'text':
        return this.text(text);
      case 'buyer_name':
        return this.#placeholderOf(role, text);
      case 'fingerprint':
        return this.#fingerprints.get(text) ?? text;
      case 'receiver_response':
        this.#count(role, text);
        return anonymize(text);
      default:
        // The cell or body is also visited as text, where the search finds it.
        return text;
    }
  };

  /** @param spelling the value in the case of the text in which it was found */
  #placeholderOf(kind: ValueKind, original: string, spelling = original): string {
    const { isCaseSensitive, placeholder } = KINDS[kind];
    const value = isCaseSensitive ? original : original.trim().toLowerCase();
    const key = `${kind} ${value}`;
    let replacement = this.#placeholders.get(key);
    if (replacement === undefined) {
      if (this.#isSealed || !isPersonal(value)) return spelling;
      const [before, after] = placeholder(value, this.#count(kind, value));
      const length = value.length > MAX_USUAL_LENGTH ? value.length - after.length : 0;
      replacement = before.padEnd(length, 'x') + after;
      this.#placeholders.set(key, replacement);
    }
    return isCaseSensitive ? replacement : inCaseOf(spelling, replacement);
  }

  /** Returns how many values of a kind there are. */
  #count(kind: PersonalKind, value: string): number {
    const values = this.#counts.get(kind) ?? new Set();
    this.#counts.set(kind, values.add(value));
    return values.size;
  }
}

function isPersonal(value: string): boolean {
  return value !== '' && value.toLowerCase() !== CONTROL_API_BUYER && !isPlaceholder(value);
}

const PERSONAL_COLUMNS: Readonly<Record<string, Role>> = {
  url: 'webhook_url',
  response: 'receiver_response',
  buyer_email: 'buyer_email',
  buyer_name: 'buyer_name',
};

function isValueKind(role: Role): role is ValueKind {
  return Object.hasOwn(KINDS, role);
}

function mapRow(row: ReproRow, visit: TextVisitor): ReproRow {
  const { table, values } = row;
  const roleOf = (column: string): Role => {
    if (column === 'fingerprint') return column;
    const role = policyOf(table, column) === 'personal' ? PERSONAL_COLUMNS[column] : undefined;
    return role ?? 'text';
  };
  const mapCell = (value: string, role: Role) =>
    isValueKind(role) ? visit(visit(value, role), 'text') : visit(value, role);
  const cells = Object.entries(values).map(([column, value]) => [
    column,
    typeof value === 'string' ? mapCell(value, roleOf(column)) : value,
  ]);
  return { ...row, values: Object.fromEntries(cells) };
}

function mapRequest(request: RequestRecord, visit: TextVisitor): RequestRecord {
  const { body, body_result, signature_result, response, trace } = request;
  const text = (value: string) => visit(value, 'text');
  const rejection = <T extends RequestRecord['signature_result']>(result: T): T =>
    typeof result === 'object' && result !== null
      ? { ...result, message: text(result.message) }
      : result;
  const bodyText = body && visit(mapFields(request, bytesOf(body).toString(), visit), 'text');
  return {
    ...request,
    body: body && 'text' in body ? { text: bodyText ?? '' } : body,
    method: text(request.method),
    target: text(request.target),
    headers: request.headers.map(([name, value]) => [text(name), text(value)]),
    body_result: rejection(body_result),
    signature_result: rejection(signature_result),
    response:
      'closed' in response
        ? response
        : {
            ...response,
            headers: response.headers.map(([name, value]) => [name, text(value)]),
            body: { ...response.body, text: text(response.body.text) },
          },
    trace: trace.map((step) => JSON.parse(text(JSON.stringify(step)))),
  };
}

/** Visits the fields of a form and of a registration. */
function mapFields({ api, target }: RequestRecord, body: string, visit: TextVisitor): string {
  if (api === 'page') {
    return mapForm(body, (value, { name }) => {
      if (name === 'name') return visit(value, 'buyer_name');
      return name === 'email' ? visit(value, 'buyer_email') : value;
    });
  }
  const isWebhook = /\/webhooks\b/.test(target);
  if (!isWebhook) return body;
  const result = mapJson(body, (value, { name }) => {
    return name === 'url' ? visit(value, 'webhook_url') : value;
  });
  return result ?? body;
}

/** Replaces all letters and digits, for texts that are not compared. */
function anonymize(text: string): string {
  return text.replace(/\p{L}/gu, 'x').replace(/\p{N}/gu, '0');
}

/** Visits names and addresses of buyers and responses of receivers in JSON, including nested JSON. */
function mapPersonal(text: string, visit: TextVisitor): string {
  if (!text.includes('buyer') && !text.includes('response')) return text;
  const result = mapJson(text, (value, { name, parent }) => {
    if (name === 'buyer_name' || (name === 'name' && parent === 'buyer')) {
      return visit(value, 'buyer_name');
    }
    if (/^(?:last_)?response$/.test(name)) return visit(value, 'receiver_response');
    return /^(?:buyer_)?email$/.test(name)
      ? visit(value, 'buyer_email')
      : mapPersonal(value, visit);
  });
  return result ?? text;
}

/** Writes a placeholder in the case of the value: lower, upper or capitalized. */
function inCaseOf(value: string, placeholder: string): string {
  if (value === value.toLowerCase()) return placeholder;
  if (value === value.toUpperCase()) return placeholder.toUpperCase();
  return placeholder.charAt(0).toUpperCase() + placeholder.slice(1);
}

function sha256OfBody({ body }: RequestRecord): string {
  return createHash('sha256').update(bytesOf(body)).digest('hex');
}
