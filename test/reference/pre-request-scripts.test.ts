import { createHash, createHmac } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { bodyOf, wellFormed } from '../signing/vector-file.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';
import { beforeCalls, snippet } from '../support/snippets.ts';

const POSTMAN = 'postman-pre-request.cjs';

const TOOLS = path.join(ROOT, '.ci/tools');
const hasNewman = fs.existsSync(path.join(TOOLS, 'node_modules/newman'));

const VARIABLES: Record<string, string> = {
  SANDLOT_KEY_ID: 'dmk_sandbox_local',
  SANDLOT_SECRET: 'dms_sandbox_local_not_a_secret',
  domain: 'held-order.test',
};

/** Requests as they are typed in a client, and the status of a request whose signature is valid. */
const TYPED: [what: string, method: string, target: string, body: string, status: number][] = [
  ['spaces and quotes', 'GET', `/domains/search?limit=3&q=it's (a) *coffee* shop!`, '', 200],
  ['escapes in a query', 'GET', '/domains/search?q=coffee%20sh%C3%B6p', '', 200],
  ['a path parameter', 'GET', '/domains/:name', '', 200],
  ['{{$guid}} in a path', 'GET', '/orders/{{$guid}}', '', 404],
  ['a path that is not ASCII', 'GET', '/domains/zoë-{{$guid}}.com', '', 404],
  ['a fragment', 'GET', '/domains/search?q=coffee#part', '', 200],
  ['a body', 'POST', '/quotes', '{ "domain": "{{domain}}", "x": "{{$guid}} ë" }', 201],
  ['%', 'GET', '/domains/search?q=100%&x=a%26b', '', 200],
];

/** What the script uses of crypto-js, which Postman has. */
const cryptoJs = {
  SHA256: (text: string) => createHash('sha256').update(text).digest('hex'),
  HmacSHA256: (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex'),
};

function require(name: string): typeof cryptoJs {
  if (name !== 'crypto-js') throw new Error(`no module ${name}`);
  return cryptoJs;
}

test('the script of Postman signs every vector with a text body as expected', () => {
  const vectors = wellFormed.filter((vector) => vector.request.body_base64 === undefined);
  const signed = vectors.map((vector) => {
    const { method, target, timestamp, nonce } = vector.request;
    const given = [vector.secret, method, target, timestamp, nonce, String(bodyOf(vector))];
    return vm.runInNewContext(`${beforeCalls(snippet(POSTMAN))}; sign(...given)`, {
      require,
      given,
    });
  });
  expect(signed).toEqual(vectors.map(({ expected }) => expected.signature));
});

test.skipIf(!hasNewman && !process.env.CI)(
  'Postman sends each request as signed, also with the authorization of an imported document',
  async () => {
    const { url: base } = await sandbox({ port: 0 });
    const collection = {
      info: {
        name: 'partner API',
        schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
      },
      auth: {
        type: 'apikey',
        apikey: [
          { key: 'key', value: 'X-Service-Key-Id' },
          { key: 'value', value: '{{apiKey}}' },
          { key: 'in', value: 'header' },
        ],
      },
      event: [{ listen: 'prerequest', script: { exec: snippet(POSTMAN).split('\n') } }],
      item: TYPED.map(([name, method, target, body]) => ({
        name,
        request: {
          method,
          url: postmanUrl(target),
          ...(body !== '' && {
            header: [{ key: 'Content-Type', value: 'application/json' }],
            body: { mode: 'raw', raw: body },
          }),
        },
      })),
    };
    const envVar = Object.entries({ ...VARIABLES, base }).map(([key, value]) => ({ key, value }));
    const newman = createRequire(path.join(TOOLS, 'package.json'))('newman');
    const summary = await new Promise<NewmanSummary>((resolve, reject) => {
      newman.run({ collection, envVar }, (error: Error | null, result: NewmanSummary) =>
        error ? reject(error) : resolve(result),
      );
    });
    expect(summary.run.executions.map(({ item, response }) => [item.name, response?.code])).toEqual(
      TYPED.map(([name, , , , status]) => [name, status]),
    );
  },
);

interface NewmanSummary {
  run: { executions: { item: { name: string }; response?: { code: number } }[] };
}

/** Writes a URL as Postman does when it imports a document. */
function postmanUrl(target: string): string | object {
  if (!target.includes(':name')) return `{{base}}/api/partner/v1${target}`;
  return {
    host: ['{{base}}'],
    path: `api/partner/v1${target}`.split('/'),
    variable: [{ key: 'name', value: '{{domain}}' }],
  };
}

test('a key ID that the client did not resolve is named in the 401', async () => {
  const at = await sandbox();
  const response = await at.call(
    { method: 'GET', target: '/api/partner/v1/orders' },
    { key_id: '{{SANDLOT_KEY_ID}}', secret: 'any' },
  );
  expect(response.status).toBe(401);
  expect(await response.text()).toContain('{{SANDLOT_KEY_ID}} is a variable');
});
