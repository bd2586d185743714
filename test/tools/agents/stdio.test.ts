import fs from 'node:fs';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { sendSigned, signPartnerRequest } from '../../../src/client/partner-client.ts';
import type { Key } from '../../../src/index.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
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

/** Sells a domain as a partner does. @returns the ID of the order */
async function sell(url: string, key: Key): Promise<string> {
  const order = {
    method: 'POST',
    target: '/api/partner/v1/orders',
    headers: { 'Idempotency-Key': 'order-1' },
    body: orderBody(magic('held-order', 250_000)),
  };
  const sent = signPartnerRequest(url, key, order, systemRuntime.now());
  const response = await sendSigned(fetch, sent);
  return ((await response.json()) as { public_id: string }).public_id;
}

test('without a running sandbox, starts one in memory', async () => {
  const cwd = emptyDirectory();
  // A developer's own sandbox may run at the default address.
  const record = { url: CLOSED, pid: process.pid, started_at: '2026-01-05T09:00:00Z' };
  const dataDir = path.join(cwd, '.sandlot');
  fs.mkdirSync(dataDir);
  writeServerRecord(record, { dataDir });
  const agent = await agentIn(cwd);
  const { url, env } = (await agent.call('status')).data;
  const order = await sell(url, { key_id: env.SANDLOT_KEY_ID, secret: env.SANDLOT_SECRET });
  const { data } = await agent.call('orders', { action: 'show', id: order });
  expect(data).toMatchObject({ public_id: order, status: 'MANUAL_REVIEW' });
  expect(fs.readdirSync(cwd, { recursive: true })).toEqual(['.sandlot', '.sandlot/server.json']);
});

test('uses the running sandbox; --world keeps two clients apart', async () => {
  const cwd = emptyDirectory();
  const server = await startProcess(cwd, '--inventory', '50');
  const [one, two] = await Promise.all([
    agentIn(cwd, '--world', 'mcp-one'),
    agentIn(cwd, '--world', 'mcp-two'),
  ]);
  const { data, world } = await one.call('status');
  expect({ url: data.url, world }).toEqual({ url: server.url, world: 'mcp-one' });
  const key = (await one.call('worlds', { action: 'credential' })).data;
  await sell(server.url, key);
  expect((await one.call('orders', { action: 'list' })).data.orders).toHaveLength(1);
  expect((await two.call('orders', { action: 'list' })).data.orders).toEqual([]);
  const { worlds } = (await two.call('worlds', { action: 'list' })).data;
  expect(worlds).toMatchObject([{ name: 'default' }, { name: 'mcp-one' }, { name: 'mcp-two' }]);
});

test('starts none in place of the sandbox that --url names', async () => {
  const agent = await agentIn(emptyDirectory(), '--url', CLOSED);
  const error = { code: 'unreachable' };
  expect(await agent.rejected('status')).toMatchObject({ error, next: ['sandlot start'] });
});

test('ends when the client closes stdin', async () => {
  expect(await commandLine()('mcp')).toMatchObject({ code: 0, stdout: '' });
});

test('closes the sandbox that a call was starting when the client closed stdin', async () => {
  const params = { name: 'status', arguments: {} };
  const stdin = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`;
  const { code, stderr } = await commandLine()('mcp', { stdin });
  expect(code).toBe(0);
  const [, url = ''] = /started one in memory at (http:\S+)/.exec(stderr) ?? [];
  await expect(fetch(`${url}/_sandbox/health`)).rejects.toThrow('fetch failed');
});
