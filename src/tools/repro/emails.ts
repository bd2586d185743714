/** Characters of an address, including letters of other alphabets. Any other character ends it. */
const LOCAL = /[\w.!#$'*+^`{|}~\u00a1-\uffef-]/;
const DOMAIN = /[\w.\u00a1-\uffef-]/;
const EDGE = /[\w\u00a1-\uffef]/;

/** An escape at the edge of an address: the text is encoded, so the address is not complete. */
const ESCAPE = /^(?:%[0-9a-f]{2}|\\[bfnrtux"\\/])/i;

/**
 * Finds email addresses in text, in order; not those with escapes, which are found in the decoded text. Takes linear time.
 */
export function findEmails(text: string): string[] {
  const emails: string[] = [];
  let end = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let from = at;
    while (from > end && LOCAL.test(text.charAt(from - 1))) from -= 1;
    while (from < at && !EDGE.test(text.charAt(from))) from += 1;
    end = at + 1;
    while (end < text.length && DOMAIN.test(text.charAt(end))) end += 1;
    let to = end;
    while (to > at + 1 && !EDGE.test(text.charAt(to - 1))) to -= 1;
    const isWhole =
      !ESCAPE.test(text.slice(Math.max(from - 1, 0), from + 2)) &&
      !ESCAPE.test(text.slice(to, to + 3));
    if (from < at && isWhole && /\p{L}/u.test(text.slice(at, to)))
      emails.push(text.slice(from, to));
  }
  return emails;
}
