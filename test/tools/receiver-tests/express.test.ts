import { createHmac, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import http, { type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listenOnLoopback } from '../../support/ports.ts';
import { ROOT } from '../../support/sandlot-process.ts';
import { reasonsOf, runQuickly, SECRET } from './receiver.ts';

const TOOLS = path.join(ROOT, '.ci/tools');
const hasExpress = fs.existsSync(path.join(TOOLS, 'node_modules/express'));
const withExpress = test.skipIf(!hasExpress && !process.env.CI);

interface ExpressRequest {
  body: Buffer;
  get(header: string): string | undefined;
}

/** The receiver of docs/webhooks.md in Express. */
async function expressReceiver({ parsesAll }: { parsesAll: boolean }): Promise<string> {
  const express = createRequire(path.join(TOOLS, 'package.json'))('express');
  const app = express();
  app.set('env', 'test');
  if (parsesAll) app.use(express.json());
  app.post(
    '/webhooks',
    express.raw({ type: '*/*', limit: '1mb' }),
    (request: ExpressRequest, response: { sendStatus(status: number): void }) => {
      const expected = Buffer.from(createHmac('sha256', SECRET).update(request.body).digest('hex'));
      const actual = Buffer.from(request.get('X-Service-Signature') ?? '');
      const valid = actual.length === expected.length && timingSafeEqual(actual, expected);
      response.sendStatus(valid ? 200 : 401);
    },
  );
  return `${await listenOnLoopback(http.createServer(app as RequestListener))}/webhooks`;
}

withExpress('express.raw() before any parser passes every check without a failure', async () => {
  const report = await runQuickly({ url: await expressReceiver({ parsesAll: false }) });
  expect(report.checks.filter(({ result }) => result === 'fail')).toEqual([]);
  expect(reasonsOf(report)['sig.missing']).toBe('pass');
});

withExpress('a global express.json() fails right.*, and the fix names the parser', async () => {
  const { checks } = await runQuickly({ url: await expressReceiver({ parsesAll: true }) });
  const right = checks.filter(({ id }) => id.startsWith('right.'));
  expect(right.map(({ result }) => result)).toEqual(Array(7).fill('fail'));
  expect(right[0]?.fix).toContain('before any JSON parser runs');
});
