import { expect, test } from 'vitest';
import describeUnsupported from '../../bin/supported.cjs';

test.each([
  [{ node: '22.14.0', napi: '10' }, undefined],
  [{ node: '22.13.1', napi: '9' }, 'needs Node.js 22.14 or newer; this is Node.js 22.13.1.'],
  [{ node: '23.5.0', napi: '9' }, 'needs Node.js 23.6 or newer; this is Node.js 23.5.0.'],
  [{ node: '26.3.0', napi: '10', bun: '1.4.1' }, undefined],
  [{ node: '26.3.0', napi: '10', bun: '2.0.0' }, undefined],
  [{ node: '24.3.0', napi: '10', bun: '1.4.0' }, 'needs Bun 1.4.1 or newer; this is Bun 1.4.0.'],
  [{ node: '24.3.0', napi: '10', bun: '1.3.14' }, 'needs Bun 1.4.1 or newer; this is Bun 1.3.14.'],
  [{ node: '26.3.0', napi: '10', deno: '2.9.0' }, undefined],
  [{ node: '24.2.0', napi: '9', deno: '2.8.0' }, 'needs Deno 2.9 or newer; this is Deno 2.8.0.'],
])('a runtime with versions %j gets %s', (versions, expected) => {
  const { platform, arch } = process;
  expect(describeUnsupported({ versions, platform, arch })).toBe(expected && `sandlot ${expected}`);
});

test('a machine without a binary of SQLite is named', () => {
  const machine = { versions: process.versions, platform: 'linux', arch: 'arm' };
  expect(describeUnsupported(machine)).toMatch(/with x64 or arm64; this is linux-arm\.$/);
});
