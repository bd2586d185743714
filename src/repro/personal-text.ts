import { isMasked } from '../requests/mask.ts';
import { SecretSearch } from '../requests/secret-search.ts';
import { editBase64, mayHoldAt } from './base64-text.ts';
import { type Edit, editDecoded, editForm, mergeEdits, visitDecoded } from './decoded-text.ts';
import { findEmails, findPlainEmails, type Span } from './emails.ts';
import { KnownValues } from './known-values.ts';
import { emailsIn, isDistinctiveName, namesIn } from './personal-fields.ts';
import { type PersonalKind, Replacements } from './replacements.ts';

const MAX_CACHED = 200;
const MAX_CACHE = 10_000;
/** Shorter values would be found by accident. */
const MIN_KEY_ID = 8;

/** Replaces personal data in texts, in any spelling. */
export class PersonalText {
  readonly replacements = new Replacements();
  readonly #known = new KnownValues();
  /** Finds what is known in base64. */
  readonly #search = new SecretSearch();
  /** Replaced short texts: names and values of headers repeat. */
  readonly #cache = new Map<string, string>();
  readonly #kept: ReadonlySet<string>;

  /** @param kept values in lower case that are not personal, because the code itself writes them */
  constructor(kept: Iterable<string>) {
    this.#kept = new Set(kept);
  }

  /** Values that must not be in the file any more. */
  originals(): string[] {
    return this.replacements.originals().filter(isDistinctive);
  }

  /** From now on, only values that were replaced before are replaced: for what a replay gave out. */
  freeze(): void {
    this.replacements.freeze();
    this.#cache.clear();
  }

  /** Learns the names and email addresses in fields of JSON. */
  learn(text: string): void {
    visitDecoded(text, (decoded) => {
      for (const { value } of namesIn(decoded)) this.learnName(value);
      for (const email of emailsIn(decoded)) this.learnValue('buyer_email', email);
    });
  }

  learnName(name: string): void {
    const trimmed = name.trim();
    if (isMasked(trimmed)) return;
    // A single word may be anything but a name in another spelling.
    if (isDistinctiveName(trimmed)) this.learnValue('buyer_name', trimmed, !/\s/.test(trimmed));
  }

  learnKeyId(keyId: string): void {
    if (keyId.length >= MIN_KEY_ID) this.learnValue('live_key_id', keyId);
  }

  /** @param exact whether other upper and lower case letters make it another value */
  learnValue(kind: PersonalKind, value: string, exact = false): void {
    this.#known.add(kind, value, exact);
    this.#search.add([value]);
  }

  /** Replaces everything personal in a text. */
  replaced(text: string): string {
    if (text.length > MAX_CACHED) return this.#replaced(text);
    const known = this.#cache.get(text) ?? this.#replaced(text);
    if (this.#cache.size >= MAX_CACHE) this.#cache.clear();
    this.#cache.set(text, known);
    return known;
  }

  /** Replaces everything personal in bytes that are not text, given as a character for each. */
  replacedBytes(bytes: string): string {
    return this.#inBase64(editDecoded(bytes, (decoded) => this.#editsOf(decoded, findPlainEmails)));
  }

  /** Replaces everything personal in a form, whose field `name` is a name. */
  replacedForm(text: string): string {
    const fields = text.split('&').map((field) => {
      const isName = /^name=/.test(field);
      return editForm(field, (decoded) => {
        const edits = this.#editsOf(decoded);
        const value = { from: 'name='.length, to: decoded.length };
        if (!isName || value.from === value.to) return edits;
        return mergeEdits(edits, [this.#edit(decoded, value.from, value.to, 'buyer_name')]);
      });
    });
    return this.#inBase64(fields.join('&'));
  }

  #replaced(text: string): string {
    return this.#inBase64(editDecoded(text, (decoded) => this.#editsOf(decoded)));
  }

  #inBase64(text: string): string {
    return editBase64(text, {
      mayHold: (encoded) => mayHoldAt(encoded) || this.#search.occursIn(encoded),
      edit: ({ text: inner, isText }) =>
        editDecoded(inner, (decoded) =>
          this.#editsOf(decoded, isText ? findEmails : findPlainEmails),
        ),
    });
  }

  /** The replacements in a text without escapes, in order and without overlaps. */
  #editsOf(text: string, emails: (text: string) => Span[] = findEmails): Edit[] {
    const edits = (found: readonly Span[], kind: PersonalKind) =>
      found.map(({ from, to }) => this.#edit(text, from, to, kind));
    const found = [
      this.#knownIn(text, (kind) => kind !== 'buyer_name'),
      text.includes('@') ? edits(emails(text), 'buyer_email') : [],
      this.#knownIn(text, (kind) => kind === 'buyer_name'),
      edits(
        namesIn(text).filter(({ value }) => !isMasked(value)),
        'buyer_name',
      ),
    ];
    return found
      .reduce(mergeEdits)
      .filter(({ from, to }) => !this.#kept.has(text.slice(from, to).toLowerCase()));
  }

  #edit(text: string, from: number, to: number, kind: PersonalKind): Edit {
    return { from, to, text: this.replacements.of(kind, text.slice(from, to)) };
  }

  #knownIn(text: string, isWanted: (kind: PersonalKind) => boolean): Edit[] {
    const found = this.#known.find(text, isWanted);
    return found.map(({ from, to, kind }) => this.#edit(text, from, to, kind));
  }
}

function isDistinctive(value: string): boolean {
  return value.includes('@') || value.length >= MIN_KEY_ID || value.includes(' ');
}
