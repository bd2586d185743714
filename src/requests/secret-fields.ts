/** Rewrites the value of a secret field; the rest of the text stays the same, byte for byte. */
export type Rewrite = (value: string, length: number, spelled: string) => string;

/**
 * `secret` in any case, with its letters spelled as escapes of a URL or of JSON. The number of backslashes is limited:
 * without, a long run of them takes quadratic time.
 */
const SECRET_WORD = new RegExp(
  [...'secret']
    .map((letter) => {
      const hex = letter.charCodeAt(0).toString(16);
      const upper = letter.toUpperCase().charCodeAt(0).toString(16);
      return `(?:${letter}|%(?:25)*(?:${hex}|${upper})|\\\\{1,16}u00(?:${hex}|${upper})|\\\\{1,16}x(?:${hex}|${upper}))`;
    })
    .join(''),
  'i',
);

export function isSecretName(name: string): boolean {
  return /secret/i.test(name);
}

/**
 * Rewrites values of a form or a query.
 * @param rewriteOf returns how to rewrite the value of a name; undefined keeps it
 */
export function rewriteForm(
  text: string,
  rewriteOf: (name: string) => Rewrite | undefined,
): string {
  return text
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const rewrite = equals < 0 ? undefined : rewriteOf(formDecoded(pair.slice(0, equals)));
      if (rewrite === undefined) return pair;
      const value = pair.slice(equals + 1);
      return pair.slice(0, equals + 1) + rewrite(formDecoded(value), value.length, value);
    })
    .join('&');
}

const TOKENS = /"(?:[^"\\]|\\[\s\S])*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Rewrites the values of JSON fields whose name contains `secret`, and all values inside them. In text that is not quite
 * JSON, rewrites what it can.
 * @param nested whether a text may contain JSON itself
 */
export function rewriteJson(
  json: string,
  rewrite: Rewrite,
  { nested }: { nested: boolean },
): string {
  let depth = 0;
  /** Depth of the object or list whose values are all secret. */
  let secretAbove = Number.POSITIVE_INFINITY;
  let last = '';
  let isSecret = false;
  return json.replace(TOKENS, (token, at: number) => {
    const before = last;
    last = token;
    if (token === '{' || token === '[') {
      if (isSecret && secretAbove > depth) secretAbove = depth;
      isSecret = false;
      depth += 1;
      return token;
    }
    if (token === '}' || token === ']') {
      depth -= 1;
      if (depth <= secretAbove) secretAbove = Number.POSITIVE_INFINITY;
      return token;
    }
    if (token === ':' || token === ',') {
      if (token === ':') isSecret = isSecretName(stringOf(before));
      return token;
    }
    const hides = isSecret || depth > secretAbove;
    isSecret = false;
    const isText = token.startsWith('"');
    if (isText && isName(json, at + token.length)) return token;
    if (!hides) return nested && isText && token.includes('\\"') ? hideAfterMention(token) : token;
    if (isText) {
      const end = token.length > 1 && token.endsWith('"') ? '"' : '';
      return `"${rewrite(stringOf(token), token.length - 1 - end.length, token.slice(1, end === '' ? undefined : -1))}${end}`;
    }
    return /^-?[\d.eE+-]+$/.test(token) ? token.replace(/\d/g, '1') : token;
  });
}

function isName(json: string, end: number): boolean {
  let at = end;
  while (/\s/.test(json.charAt(at))) at += 1;
  return json.charAt(at) === ':';
}

export function mentionsSecret(text: string): boolean {
  return SECRET_WORD.test(text);
}

/** Letters and digits, plain and escaped. */
const HIDDEN_AFTER_MENTION = /\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[^ux]|[\p{L}\p{N}]/giu;

/** Hides the letters and digits after the first `secret` in text that cannot be parsed. */
export function hideAfterMention(text: string): string {
  const mention = SECRET_WORD.exec(text);
  if (!mention) return text;
  const end = mention.index + mention[0].length;
  const after = text
    .slice(end)
    .replace(HIDDEN_AFTER_MENTION, (found) =>
      /^\\[^ux]/.test(found) ? found : 'x'.repeat(found.length),
    );
  return text.slice(0, end) + after;
}

function stringOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}

/** Decodes a name or value of a form; returns it unchanged if its escapes are malformed. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
