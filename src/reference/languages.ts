import { literal, singleQuoted } from './literal.ts';

/** A call that an example shows. */
export interface ShownCall {
  method: string;
  /** Path and query, as sent. */
  target: string;
  /** A JSON object; undefined when there is no body. */
  body: unknown;
  idempotencyKey: string | undefined;
}

/** A language in which the signing of calls is shown. */
export interface Language {
  id: string;
  label: string;
  /** Signs and sends: a file of fixtures/snippets, which ends in its calls. */
  partnerFile: string;
  /** Verifies webhooks: another such file. */
  webhookFile: string;
  /** What stands where the calls of the file are, to make this one. */
  callOf(call: ShownCall): string;
}

/** From this line on, a snippet is an example of its use. */
export const CALLS_MARK = /^ *(?:#|\/\/) Calls:\n/m;

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

/** What is passed to `call`: method, target, and body and key where there are any. */
function passed(
  { method, target, body, idempotencyKey }: ShownCall,
  quote: (text: string) => string,
  written: (body: unknown) => string,
  keyName = '',
): string {
  const given = [quote(method), quote(target)];
  if (body !== undefined) given.push(written(body));
  if (idempotencyKey !== undefined) given.push(keyName + quote(idempotencyKey));
  return given.join(', ');
}

const node: Language = {
  id: 'node',
  label: 'Node.js',
  partnerFile: 'partner.mjs',
  webhookFile: 'webhook.mjs',
  callOf: (call) =>
    `console.dir(await call(${passed(call, singleQuoted, javascript)}), { depth: null });\n`,
};

/** Names of members need no quotes, texts do. */
function javascript(body: unknown): string {
  return literal(body, JAVASCRIPT).replace(/^( *)'([a-z_]\w*)': /gim, '$1$2: ');
}

const python: Language = {
  id: 'python',
  label: 'Python',
  partnerFile: 'partner.py',
  webhookFile: 'webhook.py',
  callOf: (call) =>
    `print(call(${passed(call, PYTHON.quote, (body) => literal(body, PYTHON), 'idempotency_key=')}))\n`,
};

const php: Language = {
  id: 'php',
  label: 'PHP',
  partnerFile: 'partner.php',
  webhookFile: 'webhook.php',
  callOf: (call) => `print_r(call(${passed(call, singleQuoted, (body) => literal(body, PHP))}));\n`,
};

const ruby: Language = {
  id: 'ruby',
  label: 'Ruby',
  partnerFile: 'partner.rb',
  webhookFile: 'webhook.rb',
  callOf: (call) =>
    `p call(${passed(call, singleQuoted, (body) => literal(body, RUBY), 'idempotency_key: ')})\n`,
};

const go: Language = {
  id: 'go',
  label: 'Go',
  partnerFile: 'partner.go',
  webhookFile: 'webhook.go',
  callOf({ method, target, body, idempotencyKey = '' }) {
    const json = body === undefined ? '""' : raw(JSON.stringify(body, null, 2));
    return `func main() {
\tstatus, answer, err := call(${JSON.stringify(method)}, ${JSON.stringify(target)}, ${json}, ${JSON.stringify(idempotencyKey)})
\tif err != nil {
\t\tlog.Fatal(err)
\t}
\tfmt.Println(status, answer)
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

/** Java before 18 reads its source in the encoding of the machine, which may be any. */
function ascii(source: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return source.replace(/[^\0-\x7f]/g, escaped);
}

/** In the order in which they are offered. */
export const LANGUAGES: readonly Language[] = [sh, node, python, php, go, ruby, java];
