import fs from 'node:fs';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { writeServerRecord } from '../../../src/server/record.ts';
import { commandLine } from '../../cli/command-line.ts';
import { magic, orderBody } from '../../support/orders.ts';
import { BIN, emptyDirectory, startProcess } from '../../support/sandlot-process.ts';
import { Agent } from './agent.ts';

/** Nothing responds here. */
const CLOSED = 'http://127.0.0.1:1';

function agentIn(cwd: string, ...args: string[]): Promise<Agent> {
  const command = process.execPath;
  const transport = new StdioClientTransport({
    command,
    args: [BIN, 'mcp', ...args],
    cwd,
    stderr: 'ignore',
  });
  return new Agent().connect(transport);
}

const ORDER = orderBody(magic('held-order', 250_000));
const SESSION = { domain: 'held-order.test', return_url: 'https://shop.example/' };

/** Sends a partner API request with the credential of these variables. */
async function post(env: Readonly<Record<string, string>>, path: string, body: object) {
  const line = ['request', 'POST', `/api/partner/v1${path}`, '--data', JSON.stringify(body)];
  return (await commandLine()(line, { env, fetch })).json<Record<string, string>>();
}

test('without a running sandbox, starts one in memory', async () => {
  const cwd = emptyDirectory();
  // A developer's own sandbox may run at the default address.
  const record = { url: CLOSED, pid: process.pid, started_at: '2026-01-05T09:00:00Z' };
  const dataDir = path.join(cwd, '.sandlot');
  fs.mkdirSync(dataDir);
  writeServerRecord(record, { dataDir });
  const config = path.join(cwd, 'sandlot.config.json');
  fs.writeFileSync(config, '{ "host": "0.0.0.0", "public_url": "http://localhost:4010" }');
  const agent = await agentIn(cwd);
  const { url, env } = (await agent.call('status')).data;
  // The addresses of the configuration are those of `start`.
  expect((await post(env, '/checkout-session', SESSION)).checkout_url).toContain(`${url}/checkout`);
  const { public_id } = await post(env, '/orders', ORDER);
  const { data } = await agent.call('orders', { action: 'show', id: public_id });
  expect(data).toMatchObject({ public_id, status: 'MANUAL_REVIEW' });
  fs.rmSync(config);
  expect(fs.readdirSync(cwd, { recursive: true })).toEqual(['.sandlot', '.sandlot/server.json']);
});

test('uses the running sandbox, also on its next port; --world keeps two clients apart', async () => {
  const cwd = emptyDirectory();
  const server = await startProcess(cwd, '--inventory', '50');
  const [one, two] = await Promise.all([
    agentIn(cwd, '--world', 'mcp-one'),
    agentIn(cwd, '--world', 'mcp-two'),
  ]);
  const { data, world } = await one.call('status');
  expect({ url: data.url, world }).toEqual({ url: server.url, world: 'mcp-one' });
  const key = (await one.call('worlds', { action: 'credential' })).data;
  const variables = { SANDLOT_KEY_ID: key.key_id, SANDLOT_SECRET: key.secret };
  await post({ SANDLOT_URL: server.url, ...variables }, '/orders', ORDER);
  expect((await one.call('orders', { action: 'list' })).data.orders).toHaveLength(1);
  expect((await two.call('orders', { action: 'list' })).data.orders).toEqual([]);
  const { worlds } = (await two.call('worlds', { action: 'list' })).data;
  expect(worlds).toMatchObject([{ name: 'default' }, { name: 'mcp-one' }, { name: 'mcp-two' }]);
  await server.end('SIGTERM');
  await startProcess(emptyDirectory(), '--port', new URL(server.url).port, '--inventory', '50');
  expect((await one.rejected('status')).error.message).toContain(server.url);
  const again = await startProcess(cwd, '--inventory', '50');
  expect((await one.call('status')).data.url).toBe(again.url);
});

test('starts none in place of the sandbox that --url names', async () => {
  const agent = await agentIn(emptyDirectory(), '--url', CLOSED);
  const error = { code: 'unreachable' };
  expect(await agent.rejected('status')).toMatchObject({ error, next: ['sandlot start'] });
});

test('ends when the client closes stdin', async () => {
  const stderr = expect.not.stringContaining('started');
  expect(await commandLine()('mcp')).toMatchObject({ code: 0, stdout: '', stderr });
});

test('closes the sandbox that a call was starting when the client closed stdin', async () => {
  const params = { name: 'status', arguments: {} };
  const stdin = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`;
  const { code, stderr } = await commandLine()('mcp', { stdin });
  expect(code).toBe(0);
  const [, url = ''] = /started one in memory at (http:\S+)/.exec(stderr) ?? [];
  await expect(fetch(`${url}/_sandbox/health`)).rejects.toThrow('fetch failed');
});
