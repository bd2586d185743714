import type { Span } from './emails.ts';
import { lowerCased, type PersonalKind } from './replacements.ts';

interface KnownValue {
  kind: PersonalKind;
  /** In lower case, unless only the same spelling counts. */
  value: string;
  exact: boolean;
  firstWord: string;
}

const WORD = /[\p{L}\p{N}]+/gu;

/** Finds many known values in texts, by their first word. */
export class KnownValues {
  readonly #byWord = new Map<string, KnownValue[]>();
  readonly #added = new Set<string>();

  /** @param exact whether other upper and lower case letters make it another value */
  add(kind: PersonalKind, given: string, exact = false): void {
    const value = exact ? given : lowerCased(given);
    const [firstWord] = value.match(WORD) ?? [];
    if (firstWord === undefined || this.#added.has(`${kind} ${value}`)) return;
    this.#added.add(`${kind} ${value}`);
    const others = this.#byWord.get(firstWord) ?? [];
    // The longest first: one may begin with another.
    others.push({ kind, value, exact, firstWord });
    others.sort((a, b) => b.value.length - a.value.length);
    this.#byWord.set(firstWord, others);
  }

  /** Returns where values are in a text, in order and without overlaps. */
  find(text: string, isWanted: (kind: PersonalKind) => boolean): (Span & { kind: PersonalKind })[] {
    const found: (Span & { kind: PersonalKind })[] = [];
    if (this.#byWord.size === 0) return found;
    const lower = lowerCased(text);
    let end = 0;
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (index < end) continue;
      const here = this.#at(text, lower, word, index);
      if (!here || here.from < end || !isWanted(here.kind)) continue;
      found.push(here);
      end = here.to;
    }
    return found;
  }

  #at(text: string, lower: string, word: string, index: number) {
    const values = new Set(
      [word, lowerCased(word)].flatMap((each) => this.#byWord.get(each) ?? []),
    );
    for (const { kind, value, exact, firstWord } of values) {
      const from = index - value.indexOf(firstWord);
      const to = from + value.length;
      if (from < 0 || !(exact ? text : lower).startsWith(value, from)) continue;
      const isWhole = !/^[\p{L}\p{N}]/u.test(text.slice(to, to + 2));
      if (isWhole || kind === 'webhook_url') return { from, to, kind };
    }
    return undefined;
  }
}
