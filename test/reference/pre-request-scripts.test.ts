import { createHash, createHmac, randomUUID } from 'node:crypto';
import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { bodyOf, wellFormed } from '../signing/vector-file.ts';
import { sandbox } from '../support/sandbox.ts';
import { beforeCalls, snippet } from '../support/snippets.ts';

/** A request of an API client, with a variable in its body. */
interface ClientRequest {
  method: string;
  target: string;
  body: string;
  headers: Record<string, string>;
}

/** What the scripts use of crypto-js, which both clients have. */
const cryptoJs = {
  SHA256: (text: string) => createHash('sha256').update(text).digest('hex'),
  HmacSHA256: (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex'),
};

const require = (name: string) => {
  if (name !== 'crypto-js') throw new Error(`no module ${name}`);
  return cryptoJs;
};

const VARIABLES: Record<string, string> = {
  SANDLOT_KEY_ID: 'dmk_sandbox_local',
  SANDLOT_SECRET: 'dms_sandbox_local_not_a_secret',
  base: 'http://ignored.test',
  domain: 'held-order.test',
};
const variable = (name: string) => (name === '$guid' ? randomUUID() : VARIABLES[name]);
const replaceIn = (text: string) =>
  text.replace(/\{\{(.+?)\}\}/g, (_, name) => variable(name) ?? '');

/** The documented API of each client, as far as the scripts use it. */
const CLIENTS: Record<string, (request: ClientRequest) => object> = {
  'postman-pre-request.cjs': (request) => ({
    pm: {
      variables: { replaceIn },
      environment: { get: variable },
      request: {
        method: request.method,
        url: { getPathWithQuery: () => request.target },
        body: {
          get raw() {
            return request.body;
          },
          set raw(text: string) {
            request.body = text;
          },
        },
        headers: {
          upsert: ({ key, value }: { key: string; value: string }) => {
            request.headers[key] = value;
          },
        },
      },
    },
  }),
  'bruno-pre-request.cjs': (request) => ({
    bru: { interpolate: replaceIn, getEnvVar: variable },
    req: {
      getUrl: () => `{{base}}${request.target}`,
      getMethod: () => request.method,
      getBody: () => (request.body === '' ? undefined : JSON.parse(request.body)),
      setBody: (text: string) => {
        request.body = text;
      },
      setHeader: (name: string, value: string) => {
        request.headers[name] = value;
      },
    },
  }),
};

describe.each(Object.entries(CLIENTS))('%s', (file, apiOf) => {
  test('signs every vector with a text body as expected', () => {
    const vectors = wellFormed.filter((vector) => vector.request.body_base64 === undefined);
    const signed = vectors.map((vector) => {
      const { method, target, timestamp, nonce } = vector.request;
      const given = [vector.secret, method, target, timestamp, nonce, String(bodyOf(vector))];
      return vm.runInNewContext(`${beforeCalls(snippet(file))}; sign(...given)`, {
        require,
        given,
      });
    });
    expect(signed).toEqual(vectors.map(({ expected }) => expected.signature));
  });

  test.each([
    ['GET', '/api/partner/v1/domains/search?limit=3&q=coffee%20shop', '', 200],
    ['POST', '/api/partner/v1/quotes', '{ "domain": "{{domain}}" }', 201],
  ])('the sandbox accepts its %s request', async (method, target, body, status) => {
    const at = await sandbox();
    const request: ClientRequest = { method, target, body, headers: {} };
    vm.runInNewContext(snippet(file), { require, ...apiOf(request) });
    const response = await at.fetch(target, {
      method,
      headers: { 'Content-Type': 'application/json', ...request.headers },
      ...(request.body !== '' && { body: request.body }),
    });
    expect(response.status, await response.text()).toBe(status);
  });
});
