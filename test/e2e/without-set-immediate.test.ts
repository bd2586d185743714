import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import type * as sandlot from '../../src/index.ts';
import { ROOT } from '../support/sandlot-process.ts';

/** As in jest's jsdom environment: a realm of its own, whose global object lacks these. */
const MISSING = ['setImmediate', 'clearImmediate'];

/** Loads a CommonJS module of the package, and those it requires, in a realm without `MISSING`. */
function loadWithout(file: string): typeof sandlot {
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !MISSING.includes(name));
  const host = globalThis as unknown as Record<string, unknown>;
  const realm = vm.createContext(Object.fromEntries(names.map((name) => [name, host[name]])));
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

test('a sandbox sells a domain in a realm without setImmediate', async () => {
  const { createSandbox } = loadWithout(path.join(ROOT, 'dist/index.cjs'));
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

test('nothing that is shipped uses the global', () => {
  const dist = path.join(ROOT, 'dist');
  for (const file of fs.readdirSync(dist).filter((name) => name.endsWith('.cjs'))) {
    const text = fs.readFileSync(path.join(dist, file), 'utf8');
    expect(text, file).not.toMatch(/(?<![.\w)])(?:set|clear)Immediate\(/);
  }
});
