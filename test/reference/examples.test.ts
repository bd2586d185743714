import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/index.ts';
import { examplesAt } from '../../src/openapi/examples.ts';
import { type ExampleRequest, LANGUAGES, type Language } from '../../src/reference/languages.ts';
import { exampleRequest, signerOf, snippet } from '../../src/reference/snippets.tsx';
import { sandbox } from '../support/sandbox.ts';
import { missingFor, runnable, runProgram } from './runners.ts';

const examples = examplesAt('http://localhost').partner;
const CALLS = ENDPOINTS.map((each) => exampleRequest(each, examples[each.name]?.[0]));

const BODY = {
  domain: 'held-order.test',
  notes: [
    `it's "q" \\ \\n \n\t\r $HOME \`id\` #{1} \${1} {$x} %s <?php ?> </script>`,
    `""" ''' é 💡 \u2028`,
  ],
  nested: { list: [1, -2.5, true, false, null, 'a'], 'a-b c': '' },
};
/** A request whose target, key and body need care in every language. */
const UNUSUAL: ExampleRequest = {
  method: 'POST',
  target: "/api/partner/v1/quotes?q=it's%20(big)!*&a=%C3%A9",
  body: BODY,
  idempotencyKey: "k'1",
};

test('every endpoint has an example', () => {
  expect(ENDPOINTS.filter(({ name }) => !examples[name]?.[0]).map(({ name }) => name)).toEqual([]);
  expect(CALLS.map(({ target }) => target).join(' ')).not.toMatch(/undefined|:[a-z]/);
});

const tried = LANGUAGES.filter(({ id }) => runnable(id, missingFor(id)));

test.each(tried)(
  '$label: its example of every endpoint passes the signature, and any body is sent unchanged',
  async (it) => {
    // The magic of the examples' domains: they are those of the default inventory.
    const at = await sandbox({ port: 0, inventory: 5_000, frozenAt: '2026-01-05T09:00:00.000Z' });
    const env = envOf(at);

    const text = programOfCalls(it, [...CALLS, UNUSUAL]);
    await runProgram(it.id, { file: it.partnerFile, text }, { env });

    const { requests } = await at.control.get<{ requests: Logged[] }>('/requests', {
      api: 'all',
      limit: '100',
    });
    const [unusual, ...rest] = requests;
    const made = rest.toReversed();
    expect(made.map(({ method, target }) => `${method} ${target}`)).toEqual(
      CALLS.map(({ method, target }) => `${method} ${target}`),
    );
    const answered = (method: string, part: string) =>
      made.find((each) => each.method === method && each.target.includes(part))?.status;
    expect(made.filter(({ status }) => status === 401)).toEqual([]);
    expect(answered('GET', '/domains/search')).toBe(200);
    expect(answered('POST', '/quotes')).toBe(201);
    expect(answered('PUT', '/webhooks')).toBe(200);
    // WHATWG URLs spell ' as %27, which signs the same.
    expect([unusual?.status, unusual?.target.replace('%27', "'")]).toEqual([201, UNUSUAL.target]);
    const { request } = await at.control.get<{ request: { body: string } }>(
      `/requests/${unusual?.request_id}`,
    );
    expect(JSON.parse(request.body)).toEqual(BODY);
  },
);

test.each(tried)('$label: the file runs as published', async ({ id, partnerFile: file }) => {
  const at = await sandbox({ port: 0 });
  const printed = await runProgram(id, { file, text: snippet(file) }, { env: envOf(at) });
  expect(printed).toContain('price_cents');
  const { requests } = await at.control.get<{ requests: Logged[] }>('/requests', {
    api: 'all',
  });
  expect(requests.map(({ status }) => status)).toEqual([200]);
});

interface Logged {
  request_id: string;
  method: string;
  target: string;
  status: number;
}

function envOf(at: Awaited<ReturnType<typeof sandbox>>): Record<string, string> {
  const { key_id, secret } = at.credential;
  return { SANDLOT_URL: at.url, SANDLOT_KEY_ID: key_id, SANDLOT_SECRET: secret };
}

/** The signer and all calls, in one program. */
function programOfCalls(language: Language, requests: readonly ExampleRequest[]): string {
  const calls = requests.map((request) => language.callOf(request));
  const names = calls.map((_, index) => `example${index}`);
  if (language.id === 'java') {
    const methods = calls.map((text, index) =>
      text.replace('main(String[] arguments)', `${names[index]}()`).replace(/\n\}\n$/, '\n'),
    );
    const all = names.map((name) => `${name}();`).join(' ');
    const main = `    public static void main(String[] a) throws Exception { ${all} }\n}\n`;
    return signerOf(language) + methods.join('\n') + main;
  }
  return signerOf(language) + calls.join('');
}
