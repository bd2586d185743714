import { createHash, createHmac, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { bodyOf, wellFormed } from '../signing/vector-file.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';
import { beforeCalls, snippet } from '../support/snippets.ts';

const POSTMAN = 'postman-pre-request.cjs';
const BRUNO = 'bruno-pre-request.cjs';

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
];
/** Postman sends escapes as typed; Bruno may encode them again. */
const PERCENT: (typeof TYPED)[number] = ['%', 'GET', '/domains/search?q=100%&x=a%26b', '', 200];

/** What the scripts use of crypto-js, which both clients have. */
const cryptoJs = {
  SHA256: (text: string) => createHash('sha256').update(text).digest('hex'),
  HmacSHA256: (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex'),
};

function require(name: string): typeof cryptoJs {
  if (name !== 'crypto-js') throw new Error(`no module ${name}`);
  return cryptoJs;
}

test.each([POSTMAN, BRUNO])('%s signs every vector with a text body as expected', (file) => {
  const vectors = wellFormed.filter((vector) => vector.request.body_base64 === undefined);
  const signed = vectors.map((vector) => {
    const { method, target, timestamp, nonce } = vector.request;
    const given = [vector.secret, method, target, timestamp, nonce, String(bodyOf(vector))];
    return vm.runInNewContext(`${beforeCalls(snippet(file))}; sign(...given)`, { require, given });
  });
  expect(signed).toEqual(vectors.map(({ expected }) => expected.signature));
});

test.skipIf(!hasNewman && !process.env.CI)(
  'Postman sends each request as signed, also with the authorization of an imported document',
  async () => {
    const { url: base } = await sandbox({ port: 0 });
    const typed = [...TYPED, PERCENT];
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
      item: typed.map(([name, method, target, body]) => ({
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
      typed.map(([name, , , , status]) => [name, status]),
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

/** Bruno's CLI has 500 packages, so its part in a request is played here, as Bruno 4.1 does it. */
describe.each([true, false])('Bruno with URL Encoding %s', (encodes) => {
  test.each(TYPED)(
    'sends a request with %s as signed',
    async (_what, method, target, body, status) => {
      const at = await sandbox();
      const sent = runInBruno({ method, url: `{{base}}/api/partner/v1${target}`, body });
      const response = await at.fetch(encodes ? encodeUrl(sent.url) : sentTarget(sent.url), {
        method,
        headers: { 'Content-Type': 'application/json', ...sent.headers },
        ...(body !== '' && { body: sent.body }),
      });
      expect(response.status, await response.text()).toBe(status);
    },
  );
});

function runInBruno(request: { method: string; url: string; body: string }) {
  const sent = { ...request, headers: {} as Record<string, string> };
  const interpolate = (text: string) =>
    text.replace(/\{\{(.+?)\}\}/g, (_, name: string) => {
      if (name === '$guid') return randomUUID();
      return name === 'base' ? 'http://127.0.0.1:4010' : (VARIABLES[name] ?? '');
    });
  vm.runInNewContext(snippet(BRUNO), {
    require,
    bru: { interpolate, getEnvVar: (name: string) => VARIABLES[name] },
    req: {
      getUrl: () => sent.url,
      setUrl: (url: string) => {
        sent.url = url;
      },
      getPathParams: () => [{ name: 'name', value: '{{domain}}', type: 'path' }],
      getMethod: () => sent.method,
      getBody: () => (sent.body === '' ? undefined : JSON.parse(sent.body)),
      setBody: (text: string) => {
        sent.body = text;
      },
      setHeader: (name: string, value: string) => {
        sent.headers[name] = value;
      },
    },
  });
  // After the script, Bruno resolves what is left.
  return { ...sent, url: interpolate(sent.url), body: interpolate(sent.body) };
}

function sentTarget(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Encodes each segment of the path once, and the query as if it had no escapes. */
function encodeUrl(url: string): string {
  const [address = '', query] = url.split('?');
  const segments = address.replace(/^\w+:\/\/[^/]+/, '').split('/');
  const target = segments.map((text) => encodeURIComponent(decodeURIComponent(text))).join('/');
  if (query === undefined) return target;
  const pairs = query.split('&').map((pair) => pair.split('=').map(encodeURIComponent).join('='));
  return `${target}?${pairs.join('&')}`;
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
