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

/** How a language writes JSON values. */
interface LiteralStyle {
  object: readonly [open: string, close: string];
  /** Between a name and its value. */
  arrow: string;
  words: { true: string; false: string; null: string };
  quote(text: string): string;
  indent: string;
}

const PYTHON = {
  object: ['{', '}'],
  arrow: ': ',
  words: { true: 'True', false: 'False', null: 'None' },
  quote: (text: string) => JSON.stringify(text),
  indent: '    ',
} as const;

const PHP = {
  object: ['[', ']'],
  arrow: ' => ',
  words: { true: 'true', false: 'false', null: 'null' },
  quote: singleQuoted,
  indent: '    ',
} as const;

const RUBY = {
  object: ['{', '}'],
  arrow: ' => ',
  words: { true: 'true', false: 'false', null: 'nil' },
  quote: singleQuoted,
  indent: '  ',
} as const;

const JAVASCRIPT = {
  object: ['{', '}'],
  arrow: ': ',
  words: { true: 'true', false: 'false', null: 'null' },
  quote: (text: string) => singleQuoted(text).replaceAll('\n', '\\n').replaceAll('\r', '\\r'),
  indent: '  ',
} as const;

const sh: Language = {
  id: 'curl',
  label: 'curl',
  partnerFile: 'partner.sh',
  webhookFile: 'webhook.sh',
  callOf({ method, target, body, idempotencyKey }) {
    const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
    const words = ['call', method, quoted(target)];
    if (body !== undefined) words.push(quoted(JSON.stringify(body, null, 2)));
    if (idempotencyKey !== undefined) words.push(quoted(idempotencyKey));
    return `${words.join(' ')}\n`;
  },
};

/** Writes the arguments of `call`: method, target, body and key if there are any. */
function argumentsOf(
  { method, target, body, idempotencyKey }: ExampleRequest,
  quote: (text: string) => string,
  literalOf: (body: unknown) => string,
  keyName = '',
): string {
  const values = [quote(method), quote(target)];
  if (body !== undefined) values.push(literalOf(body));
  if (idempotencyKey !== undefined) values.push(keyName + quote(idempotencyKey));
  return values.join(', ');
}

const node: Language = {
  id: 'node',
  label: 'Node.js',
  partnerFile: 'partner.mjs',
  webhookFile: 'webhook.mjs',
  callOf: (request) =>
    `console.dir(await call(${argumentsOf(request, singleQuoted, javascript)}), { depth: null });\n`,
};

/** Property names need no quotes in JavaScript. */
function javascript(body: unknown): string {
  return literal(body, JAVASCRIPT).replace(/^( *)'([a-z_]\w*)': /gim, '$1$2: ');
}

const python: Language = {
  id: 'python',
  label: 'Python',
  partnerFile: 'partner.py',
  webhookFile: 'webhook.py',
  callOf: (request) =>
    `print(call(${argumentsOf(request, PYTHON.quote, (body) => literal(body, PYTHON), 'idempotency_key=')}))\n`,
};

const php: Language = {
  id: 'php',
  label: 'PHP',
  partnerFile: 'partner.php',
  webhookFile: 'webhook.php',
  callOf: (request) =>
    `print_r(call(${argumentsOf(request, singleQuoted, (body) => literal(body, PHP))}));\n`,
};

const ruby: Language = {
  id: 'ruby',
  label: 'Ruby',
  partnerFile: 'partner.rb',
  webhookFile: 'webhook.rb',
  callOf: (request) =>
    `p call(${argumentsOf(request, singleQuoted, (body) => literal(body, RUBY), 'idempotency_key: ')})\n`,
};

const go: Language = {
  id: 'go',
  label: 'Go',
  partnerFile: 'partner.go',
  webhookFile: 'webhook.go',
  callOf({ method, target, body, idempotencyKey = '' }) {
    const json = body === undefined ? '""' : raw(JSON.stringify(body, null, 2));
    return `func main() {
\tstatus, response, err := call(${JSON.stringify(method)}, ${JSON.stringify(target)}, ${json}, ${JSON.stringify(idempotencyKey)})
\tif err != nil {
\t\tlog.Fatal(err)
\t}
\tfmt.Println(status, response)
}
`;
    function raw(text: string): string {
      return `\`${text.replaceAll('`', '` + "`" + `')}\``;
    }
  },
};

const java: Language = {
  id: 'java',
  label: 'Java',
  partnerFile: 'Partner.java',
  webhookFile: 'Webhook.java',
  callOf({ method, target, body, idempotencyKey }) {
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
  },
};

/** Escapes what is not ASCII: Java before 18 reads sources in the encoding of the machine. */
function ascii(source: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return source.replace(/[^\0-\x7f]/g, escaped);
}

/** Writes a JSON value as source code, a property per line. */
function literal(value: unknown, style: LiteralStyle, margin = ''): string {
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

/** Quotes a text where only single quotes and backslashes need an escape. */
function singleQuoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

const csharp: Language = {
  id: 'csharp',
  label: 'C#',
  partnerFile: 'Partner.cs',
  webhookFile: 'Webhook.cs',
  callOf({ method, target, body, idempotencyKey }) {
    const verbatim = (text: string) => `@"${text.replaceAll('"', '""')}"`;
    const given = [JSON.stringify(method), verbatim(target)];
    if (body !== undefined) given.push(verbatim(JSON.stringify(body, null, 2)));
    if (idempotencyKey !== undefined) given.push(`idempotencyKey: ${verbatim(idempotencyKey)}`);
    return `    public static void Main()
    {
        Console.WriteLine(Call(${given.join(', ')}).Result);
    }
}
`;
  },
};

/** In the order of the tabs. */
export const LANGUAGES: readonly Language[] = [sh, node, python, php, go, ruby, java, csharp];
