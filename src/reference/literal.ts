/** How a language writes down what JSON can say. */
export interface LiteralStyle {
  /** What is put in front of and behind the members of an object. */
  object: readonly [open: string, close: string];
  /** Between a member's name and its value. */
  arrow: string;
  words: { true: string; false: string; null: string };
  quote(text: string): string;
  indent: string;
}

/** A JSON value as source text of a language, a line per member. */
export function literal(value: unknown, style: LiteralStyle, margin = ''): string {
  if (typeof value === 'string') return style.quote(value);
  if (value === null || typeof value === 'boolean') {
    return style.words[String(value) as keyof LiteralStyle['words']];
  }
  if (typeof value !== 'object') return String(value);
  const inner = margin + style.indent;
  const [open, close] = Array.isArray(value) ? (['[', ']'] as const) : style.object;
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, style, inner))
    : Object.entries(value).map(
        ([name, each]) => style.quote(name) + style.arrow + literal(each, style, inner),
      );
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`;
}

/** Single quotes, in which only themselves and backslashes are escaped. */
export function singleQuoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
