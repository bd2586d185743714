/** JSON with numbers as they were written and members in the order sent, which JSON.parse does not keep. */
export type Json =
  | { literal: string }
  | { text: string }
  | { items: readonly Json[] }
  | { members: readonly (readonly [key: string, value: Json])[] };

export interface Style {
  comma: string;
  colon: string;
  /** One step of indentation; empty for one line. */
  indent: string;
  sorted: boolean;
  /** Applied to every string literal, quotes included. */
  escape: (literal: string) => string;
}

/** Nothing that this API takes is deeper; it bounds the recursion. */
const DEEPEST = 50;
const TOKEN = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** @returns undefined when the text is not JSON, or nested deeper than 50 levels */
export function readJson(text: string): Json | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens = text.match(TOKEN) ?? [];
  if (deepest(tokens) > DEEPEST) return undefined;
  return readValue(tokens[Symbol.iterator]());
}

function deepest(tokens: readonly string[]): number {
  let depth = 0;
  let most = 0;
  for (const token of tokens) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

/** The text is known to be JSON, so the tokens can be taken on trust. */
function readValue(tokens: Iterator<string>, first = next(tokens)): Json {
  if (first === '[') return { items: readItems(tokens) };
  if (first === '{') return { members: readMembers(tokens) };
  return first.startsWith('"') ? { text: JSON.parse(first) } : { literal: first };
}

function readItems(tokens: Iterator<string>): Json[] {
  const items: Json[] = [];
  for (let token = next(tokens); token !== ']' && token !== ''; token = next(tokens)) {
    if (token !== ',') items.push(readValue(tokens, token));
  }
  return items;
}

function readMembers(tokens: Iterator<string>): [string, Json][] {
  const members: [string, Json][] = [];
  for (let token = next(tokens); token !== '}' && token !== ''; token = next(tokens)) {
    if (token === ',') continue;
    next(tokens); // the colon
    members.push([JSON.parse(token), readValue(tokens)]);
  }
  return members;
}

function next(tokens: Iterator<string>): string {
  const { value, done } = tokens.next();
  return done ? '' : value;
}

/** Writes JSON in a style; keys are sorted by UTF-16 unit, as most libraries do. */
export function writeJson(json: Json, style: Style, margin = ''): string {
  if ('literal' in json) return json.literal;
  if ('text' in json) return style.escape(JSON.stringify(json.text));
  const inner = margin + style.indent;
  if ('items' in json) {
    const items = json.items.map((item) => writeJson(item, style, inner));
    return enclosed('[', items, ']', style, margin);
  }
  const members = style.sorted ? json.members.toSorted(byKey) : json.members;
  const texts = members.map(
    ([key, value]) =>
      style.escape(JSON.stringify(key)) + style.colon + writeJson(value, style, inner),
  );
  return enclosed('{', texts, '}', style, margin);
}

function enclosed(open: string, parts: string[], close: string, style: Style, margin: string) {
  if (parts.length === 0) return open + close;
  if (style.indent === '') return open + parts.join(style.comma) + close;
  const newline = `\n${margin}${style.indent}`;
  return `${open}${newline}${parts.join(style.comma + newline)}\n${margin}${close}`;
}

function byKey([a]: readonly [string, Json], [b]: readonly [string, Json]): number {
  return a < b ? -1 : Number(a > b);
}
