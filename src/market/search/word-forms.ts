export function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}

/** Converts to lower case without accents: "Café" → "cafe". Combining marks of other scripts stay. */
export function normalizeText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .toLowerCase()
    .normalize('NFC');
}

const PLURAL_OF_IE = /^(?:.|brown|calor|cook|food|hood|mov|rook|self|smooth|vegg|zomb)ies$/;

/** Returns the singular: "bakeries" → "bakery", "movies" → "movie", "boxes" → "box". Other words stay. */
export function singularOf(word: string): string {
  // It also splits the names of listings: after a change, older repro files do not replay, and stored words stay.
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss')) return word;
  if (word.endsWith('ies') && !PLURAL_OF_IE.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ch|sh|x|ss|zz)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

/** Returns a word with its singular or plural: "bean" → "bean", "beans". */
export function formsOf(word: string): string[] {
  if (!/^[a-z]{3,}$/.test(word)) return [word];
  const singular = singularOf(word);
  return [word, singular === word ? pluralOf(word) : singular];
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:ch|sh|[sxz])$/.test(word) ? `${word}es` : `${word}s`;
}
