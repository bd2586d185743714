import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';
import { TOOLS, TOOLS_INSTALLED } from '../support/tools.ts';

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const OLDEST_TSC = path.join(TOOLS, 'typescript-5.0/bin/tsc');

const CONSUMER = `
import { ControlClient, type ControlEndpoints, createSandbox, type InProcessSandbox } from 'sandlot';
const client: ControlClient = new ControlClient({ baseUrl: 'http://127.0.0.1:4010', fetch });
export const clock: Promise<ControlEndpoints['get']['/clock']['response']> = client.get('/clock');
async function use(): Promise<InProcessSandbox> {
  const sandbox = await createSandbox({ seed: 'x', port: false });
  const { key_id }: { key_id: string } = sandbox.credential;
  const { now }: { now: string } = await sandbox.control.post('/clock/advance', { by: '11m' });
  await sandbox.control.post('/clock/freeze');
  const id = String(now);
  const order = await sandbox.control.in('w1').get(\`/orders/\${id}\`);
  const status: 'SETTLED' | 'REFUNDED' | null =
    order.status === 'SETTLED' || order.status === 'REFUNDED' ? order.status : null;
  const { route } = await sandbox.control.get('/orders/ord_1/why-not', { to: 'SETTLED' });
  const action: string | undefined = route[0]?.action;
  const { orders, next_cursor } = await sandbox.control.get('/orders', { limit: 5, cursor: undefined });
  const prices: number[] = orders.map((each) => each.sale_price_cents);
  const { domain }: { domain: string } = await sandbox.control.patch('/inventory/x.com', { price_cents: 1 });
  const file: ReadableStream<Uint8Array> = await sandbox.control.download('/worlds/default/export');
  void [status, action, next_cursor, prices, domain, file];
  // @ts-expect-error The response has no such field.
  (await sandbox.control.get('/clock')).tomorrow;
  // @ts-expect-error There is no such endpoint.
  await sandbox.control.post('/clock/rewind', { by: '11m' });
  // @ts-expect-error The body is missing.
  await sandbox.control.post('/clock/advance');
  // @ts-expect-error The body has another field.
  await sandbox.control.post('/clock/advance', { for: '11m' });
  // @ts-expect-error The query has no such value.
  await sandbox.control.get('/orders', { status: 'SETTELD' });
  await sandbox.call({ method: 'GET', target: '/api/partner/v1/orders' }, { key_id, secret: '' });
  const global: typeof fetch = sandbox.fetch;
  await global(new Request('http://localhost/_sandbox/clock'), { signal: AbortSignal.abort() });
  // @ts-expect-error There is no such option, so the types are not any.
  await createSandbox({ sed: 'x' });
  return sandbox;
}
void use();
`;

const COMMON_JS = `
import sandlot = require('sandlot');
const made: Promise<sandlot.InProcessSandbox> = sandlot.createSandbox();
void made.then(async ({ control }) => {
  const { now }: { now: string } = await control.post('/clock/advance', { by: '11m' });
  return now;
});
`;

/** Type-checks projects of both types that have the package installed. */
function check(module: string, sources: Record<'commonjs' | 'module', string[]>, tsc: string) {
  const cwd = emptyDirectory();
  fs.mkdirSync(path.join(cwd, 'node_modules/sandlot'), { recursive: true });
  for (const name of ['package.json', 'dist']) {
    fs.cpSync(path.join(ROOT, name), path.join(cwd, 'node_modules/sandlot', name), {
      recursive: true,
      filter: (from) => !/\.(?:db|cjs|mjs)$/.test(from) || from.endsWith('index.cjs'),
    });
  }
  for (const [type, files] of Object.entries(sources)) {
    fs.mkdirSync(path.join(cwd, type));
    fs.writeFileSync(path.join(cwd, type, 'package.json'), JSON.stringify({ type }));
    for (const [n, source] of files.entries()) {
      fs.writeFileSync(path.join(cwd, type, `consumer-${n}.ts`), source);
    }
  }
  const compilerOptions = {
    module,
    target: 'es2022',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    // The types of TypeScript itself take most of the time.
    skipDefaultLibCheck: true,
    // The types of the package depend on nothing.
    types: [],
  };
  fs.writeFileSync(
    path.join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*/consumer-*.ts'] }),
  );
  return spawnSync(process.execPath, [tsc, '-p', cwd], { encoding: 'utf8' });
}

test('TypeScript finds the types in CommonJS and ES packages, without skipLibCheck', () => {
  const sources = { commonjs: [CONSUMER, COMMON_JS], module: [CONSUMER] };
  // The oldest supported version if it is installed.
  const { status, stdout } = TOOLS_INSTALLED
    ? check('node16', sources, OLDEST_TSC)
    : check('nodenext', sources, TSC);
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
