const NOT_ASCII = /[^\n -~]/;

export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}

/** Converts to lower case without accents: "Café" → "cafe". Combining marks of other scripts stay. */
export function normalizeText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .toLowerCase()
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC');
}

/** Returns the singular: "bakeries" → "bakery", "boxes" → "box". Returns other words unchanged. */
export function singularOf(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss')) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ch|sh|x|ss|zz)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

/** Returns a word with its singular or plural: "bean" → "bean", "beans". */
export function formsOf(word: string): string[] {
  if (!/^[a-z]{3,}$/.test(word)) return [word];
  const singular = singularOf(word);
  if (singular !== word) return [word, singular];
  return [word, word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`];
}

/** Whether the words differ by one letter added, removed or replaced, or by two swapped neighbors. */
export function isOneEditAway(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1 || a === b) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  return (
    short[at] === long[at + 1] &&
    short[at + 1] === long[at] &&
    short.slice(at + 2) === long.slice(at + 2)
  );
}
