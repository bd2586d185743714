import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import type * as sandlot from '../../src/index.ts';
import { ROOT } from '../support/sandlot-process.ts';

/** What the realm of jest's jsdom environment lacks. */
const MISSING = [
  ...['setImmediate', 'clearImmediate', 'structuredClone', 'fetch', 'Request', 'Response'],
  ...['TextDecoder', 'TextEncoder', 'ReadableStream', 'TransformStream', 'WritableStream'],
];

/** What it has of its own, with other instances than Node.js expects. */
const REPLACED: Record<string, unknown> = Object.fromEntries(
  ['AbortController', 'AbortSignal', 'Blob', 'File', 'FormData', 'Headers', 'URL'].map((name) => [
    name,
    class {
      constructor() {
        throw new Error(`${name} of the realm was used`);
      }
    },
  ]),
);
for (const name of ['setTimeout', 'setInterval'] as const) REPLACED[name] = () => 1;

/** Loads a CommonJS module of the package, and those it requires, in a realm like jsdom's. */
function loadInRealm(file: string): typeof sandlot {
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !MISSING.includes(name));
  const host = globalThis as unknown as Record<string, unknown>;
  const realm = vm.createContext({
    ...Object.fromEntries(names.map((name) => [name, host[name]])),
    ...REPLACED,
  });
  for (const name of MISSING) expect(vm.runInContext(`typeof ${name}`, realm)).toBe('undefined');
  const loaded = new Map<string, { exports: unknown }>();
  const load = (name: string): unknown => {
    const known = loaded.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const require = createRequire(name);
    const inRealm = (wanted: string) =>
      wanted.startsWith('.') && wanted.endsWith('.cjs')
        ? load(require.resolve(wanted))
        : require(wanted);
    vm.compileFunction(
      fs.readFileSync(name, 'utf8'),
      ['require', 'module', 'exports', '__filename', '__dirname'],
      { filename: name, parsingContext: realm },
    )(Object.assign(inRealm, require), module, module.exports, name, path.dirname(name));
    return module.exports;
  };
  return load(file) as typeof sandlot;
}

test("a sandbox sells a domain in a realm like that of jest's jsdom environment", async () => {
  const { createSandbox } = loadInRealm(path.join(ROOT, 'dist/index.cjs'));
  const at = await createSandbox({ inventory: 20 });
  onTestFinished(() => at.close());
  const sale = {
    domain: 'held-order.test',
    expected_price: 250_000,
    currency: 'USD',
    buyer: { email: 'buyer@example.com' },
  };
  const post = { method: 'POST', target: '/api/partner/v1/orders', body: sale };
  const made = await at.call({ ...post, headers: { 'Idempotency-Key': 'k-1' } });
  expect([made.status, await made.json()]).toMatchObject([201, { status: 'EXTERNALLY_PAID' }]);
  await at.control.post('/clock/advance', { by: '1h' });
  await at.idle();
  await at.reset();
});

test('nothing that is shipped uses what the realm lacks', () => {
  const lacking =
    /(?<![.\w])(?:(?:set|clear)Immediate|new (?:Request|Response|Text\w+|\w+Stream))\(/;
  const dist = path.join(ROOT, 'dist');
  for (const file of fs.readdirSync(dist).filter((name) => name.endsWith('.cjs'))) {
    const text = fs.readFileSync(path.join(dist, file), 'utf8');
    expect(lacking.exec(text)?.[0], file).toBeUndefined();
  }
});
