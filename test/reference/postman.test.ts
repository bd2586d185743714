import { createHash, createHmac } from 'node:crypto';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { bodyOf, wellFormed } from '../signing/vector-file.ts';
import { beforeCalls, snippet } from '../support/snippets.ts';

const POSTMAN = 'postman-pre-request.cjs';

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
