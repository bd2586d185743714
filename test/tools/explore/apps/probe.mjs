// The app that kinds.test.ts explores. Appends to log.jsonl that it has started, and each webhook that it receives at PORT.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { bodyOf } from './client.mjs';

const { PORT = '3000', SANDLOT_URL } = process.env;
const log = (line) => appendFileSync('log.jsonl', `${JSON.stringify(line)}\n`);

const server = createServer(async (request, response) => {
  const raw = await bodyOf(request);
  if (request.method === 'POST') {
    const { id, type } = JSON.parse(raw);
    const clock = await (await fetch(`${SANDLOT_URL}/_sandbox/clock`)).json();
    log({ type, id, at: clock.now });
  }
  response.end();
});
server.listen(Number(PORT), '127.0.0.1', () => log({ started: process.pid }));
