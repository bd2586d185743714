import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { emptyDirectory, ROOT } from '../sandlot-process.ts';

const PRISM = path.join(ROOT, '.ci/prism/node_modules/@stoplight/prism-cli/dist/index.js');

/** It is large and of no other use, so that `npm ci` leaves it out. */
export const PRISM_INSTALLED = fs.existsSync(PRISM);

/**
 * A proxy that holds requests and responses against a document and responds with a problem of its own where
 * they differ: 422 for a request, 500 for a response. Closed when the test ends. It sends a space of a query as
 * a plus sign, which a signature does not survive.
 * @param upstream where the document's paths begin
 * @returns its address
 */
export async function startPrism(document: object, upstream: string): Promise<string> {
  const file = path.join(emptyDirectory(), 'openapi.json');
  fs.writeFileSync(file, JSON.stringify(document));
  const options = ['--errors', '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, [PRISM, 'proxy', file, upstream, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      const [, url] = /is listening on (http:\S+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    void ended.then(() => reject(new Error(`Prism ended: ${said}`)));
  });
}
