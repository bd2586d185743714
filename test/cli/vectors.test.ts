import { expect, test } from 'vitest';
import { isBodyIgnored } from '../../src/signing/signature.ts';
import { bodyOf, vectorNamed, wellFormed } from '../signing/vector-file.ts';
import { commandLine, type Finished } from './command-line.ts';

/** The published test vectors, put through the command line. */

function verifyVector(name: string, signature: string): Promise<Finished> {
  const vector = vectorNamed(name);
  const { method, target, timestamp, nonce } = vector.request;
  const parts = { method, path: target, timestamp, nonce, signature, secret: vector.secret };
  const options = Object.entries(parts).flatMap(([option, value]) => [`--${option}`, value]);
  const line = ['verify', ...options, '--key-id', vector.key_id, '--data', '@-', '--json'];
  return commandLine()(line, { stdin: bodyOf(vector) });
}

test('verify finds every vector right', async () => {
  for (const { name, expected } of wellFormed) {
    const { code, json } = await verifyVector(name, expected.signature);
    expect(json(), name).toMatchObject({
      valid: true,
      problems: [],
      canonical_string: expected.canonical_string,
    });
    expect(code, name).toBe(0);
  }
});

test('sign arrives at every vector whose path a URL leaves alone', async () => {
  let checked = 0;
  for (const vector of wellFormed) {
    const { method, target, timestamp, nonce } = vector.request;
    const url = new URL(target, 'http://h');
    if (url.pathname + url.search !== target) continue;
    const { json } = await commandLine()(
      [
        ...['sign', method, target, '--timestamp', timestamp, '--nonce', nonce, '--json'],
        ...['--key-id', vector.key_id, '--secret', vector.secret],
        ...(isBodyIgnored(method) ? [] : ['--data', '@-']),
      ],
      { stdin: bodyOf(vector) },
    );
    expect(json(), vector.name).toEqual({
      canonical_string: vector.expected.canonical_string,
      headers: {
        'X-Service-Key-Id': vector.key_id,
        'X-Service-Timestamp': timestamp,
        'X-Service-Nonce': nonce,
        'X-Service-Signature': vector.expected.signature,
      },
    });
    checked += 1;
  }
  expect(checked).toBeGreaterThan(10);
});
