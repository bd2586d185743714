export interface ExampleRequest {
  method: string;
  /** Path and query, as sent. */
  target: string;
  /** A JSON object; undefined without a body. */
  body: unknown;
  idempotencyKey: string | undefined;
}

export interface Language {
  id: string;
  label: string;
  /** File of fixtures/snippets that signs and sends requests, with example calls at its end. */
  partnerFile: string;
  /** File of fixtures/snippets that verifies webhooks. */
  webhookFile: string;
  /** Writes the code that sends a request with the signer of `partnerFile`. */
  callOf(request: ExampleRequest): string;
}

/** In the order of the tabs. */
export const LANGUAGES: readonly Language[] = [
  { id: 'curl', label: 'curl', ...files('sh'), callOf: shellCall },
  {
    id: 'node',
    label: 'Node.js',
    ...files('mjs'),
    callOf: (request) => `console.dir(await call(${javascript(request)}), { depth: null });\n`,
  },
  {
    id: 'python',
    label: 'Python',
    ...files('py'),
    callOf: (request) => `print(call(${argumentsOf(request, PYTHON)}))\n`,
  },
  {
    id: 'php',
    label: 'PHP',
    ...files('php'),
    callOf: (request) => `print_r(call(${argumentsOf(request, PHP)}));\n`,
  },
  {
    id: 'ruby',
    label: 'Ruby',
    ...files('rb'),
    callOf: (request) => `p call(${argumentsOf(request, RUBY)})\n`,
  },
  {
    id: 'java',
    label: 'Java',
    partnerFile: 'Partner.java',
    webhookFile: 'Webhook.java',
    callOf: javaCall,
  },
];

function files(extension: string) {
  return { partnerFile: `partner.${extension}`, webhookFile: `webhook.${extension}` };
}

/** How a language writes JSON values. */
interface LiteralStyle {
  object?: readonly [open: string, close: string];
  /** Between a name and its value. */
  arrow: string;
  /** Other words for `true`, `false` and `null`. */
  words?: Readonly<Record<string, string>>;
  quote(text: string): string;
  indent: string;
  /** Precedes the idempotency key among the arguments. */
  keyName?: string;
}

const PYTHON: LiteralStyle = {
  arrow: ': ',
  words: { true: 'True', false: 'False', null: 'None' },
  quote: (text) => JSON.stringify(text),
  indent: '    ',
  keyName: 'idempotency_key=',
};

const PHP: LiteralStyle = {
  object: ['[', ']'],
  arrow: ' => ',
  quote: singleQuoted,
  indent: '    ',
};

const RUBY: LiteralStyle = {
  arrow: ' => ',
  words: { null: 'nil' },
  quote: singleQuoted,
  indent: '  ',
  keyName: 'idempotency_key: ',
};

const JAVASCRIPT: LiteralStyle = {
  arrow: ': ',
  quote: (text) => singleQuoted(text).replaceAll('\n', '\\n').replaceAll('\r', '\\r'),
  indent: '  ',
};

/** Writes the arguments of `call`: method, target, body and key if there are any. */
function argumentsOf(
  { method, target, body, idempotencyKey }: ExampleRequest,
  style: LiteralStyle,
): string {
  const values = [style.quote(method), style.quote(target)];
  if (body !== undefined) values.push(literal(body, style));
  if (idempotencyKey !== undefined) {
    values.push((style.keyName ?? '') + style.quote(idempotencyKey));
  }
  return values.join(', ');
}

/** Property names need no quotes in JavaScript. */
function javascript(request: ExampleRequest): string {
  return argumentsOf(request, JAVASCRIPT).replace(/^( *)'([a-z_]\w*)': /gim, '$1$2: ');
}

function shellCall({ method, target, body, idempotencyKey }: ExampleRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const words = ['call', method, quoted(target)];
  if (body !== undefined) words.push(quoted(JSON.stringify(body, null, 2)));
  if (idempotencyKey !== undefined) words.push(quoted(idempotencyKey));
  return `${words.join(' ')}\n`;
}

function javaCall({ method, target, body, idempotencyKey }: ExampleRequest): string {
  const margin = ' '.repeat(12);
  const block = (text: string) =>
    `"""\n${margin}${ascii(text.replaceAll('\\', '\\\\')).replaceAll('\n', `\n${margin}`)}"""`;
  const json = body === undefined ? '""' : block(JSON.stringify(body, null, 2));
  const key = idempotencyKey === undefined ? 'null' : JSON.stringify(idempotencyKey);
  return `    public static void main(String[] arguments) throws Exception {
        System.out.println(call(${JSON.stringify(method)}, ${JSON.stringify(target)}, ${json}, ${key}));
    }
}
`;
}

/** Escapes what is not ASCII: Java before 18 reads sources in the encoding of the machine. */
function ascii(source: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return source.replace(/[^\0-\x7f]/g, escaped);
}

/** Writes a JSON value as source code, a property per line. */
function literal(value: unknown, style: LiteralStyle, margin = ''): string {
  if (typeof value === 'string') return style.quote(value);
  if (value === null || typeof value === 'boolean') {
    return style.words?.[String(value)] ?? String(value);
  }
  if (typeof value !== 'object') return String(value);
  const inner = margin + style.indent;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : (style.object ?? ['{', '}']);
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, style, inner))
    : Object.entries(value).map(
        ([name, item]) => style.quote(name) + style.arrow + literal(item, style, inner),
      );
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`;
}

/** Quotes a text where only single quotes and backslashes need an escape. */
function singleQuoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
