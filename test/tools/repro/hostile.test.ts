import dns from 'node:dns';
import net from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { formatDifferences } from '../../../src/tools/repro/commands/show-repro.ts';
import { openRepro } from '../../../src/tools/repro/open-file.ts';
import { lastActNumber } from '../../../src/tools/repro/places.ts';
import { readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { replayFile } from '../../../src/tools/repro/replay-file.ts';
import { orderFor } from '../../support/orders.ts';
import { receiver, register } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';
import { sampleRequest } from './sample-repro.ts';

async function exported() {
  const at = await sandbox();
  const hook = await receiver();
  await register(at, hook.url);
  await orderFor(at);
  await at.idle();
  return { hook, repro: await readRepro((await at.exportRepro({ keepPersonalData: true })).bytes) };
}

test('webhook URLs, headers, paths and names of a stranger reach no socket and no name server', async () => {
  const { hook, repro } = await exported();
  const received = hook.received.length;
  const connect = vi.spyOn(net.Socket.prototype, 'connect');
  const lookup = vi.spyOn(dns, 'lookup');
  onTestFinished(() => void vi.restoreAllMocks());
  const after = lastActNumber(repro.inputs);
  for (const target of [
    '/_sandbox/../../etc/passwd',
    '//evil.example/_sandbox/health',
    'http://evil.example/',
    '/_sandbox/worlds/..%2f..%2fx/export',
    '/_sandbox/reference/assets/0/..%2f..%2fpackage.json',
    '/\u0000',
  ]) {
    const { response: _none, ...request } = sampleRequest(1, {
      ...{ acts: [], after, api: 'partner', target, method: 'GET', body: null },
    })[0];
    repro.inputs.push({
      ...request,
      headers: [
        ['Host', 'evil.example'],
        ['X-Service-Key-Id', '../x'],
      ],
    });
  }
  repro.end = { kind: 'end' };
  await replayFile(await readRepro(writeRepro(repro)));
  expect(hook.received).toHaveLength(received);
  expect(connect).not.toHaveBeenCalled();
  expect(lookup).not.toHaveBeenCalled();
});

test('headers that no client can send end the replay as a divergence', async () => {
  const { repro } = await exported();
  const [first] = repro.inputs;
  if (first?.kind !== 'request') throw first;
  first.headers = [['in valid\n', 'x\u0000']];
  const { result } = await replayFile(await readRepro(writeRepro(repro)));
  expect(result).toBe('diverged');
});

/** Lets no timer of a replay fire, so that one that waits for a timeout does not end. */
function withoutTimeouts(): void {
  vi.spyOn(systemRuntime, 'after').mockReturnValue(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
}

test('a request that enters no world ends the replay at once', async () => {
  const { repro } = await exported();
  const last = lastActNumber(repro.inputs);
  const read = { api: 'control', target: '/_sandbox/status', method: 'GET', body: null } as const;
  repro.inputs.push(...sampleRequest(last + 1, read));
  repro.end = { kind: 'end' };
  const file = await readRepro(writeRepro(repro));
  withoutTimeouts();
  const { result, divergence } = await replayFile(file);
  expect(result).toBe('diverged');
  expect(divergence).toEqual([expect.objectContaining({ input: String(last + 1) })]);
});

test('a read that acts ends the replay at once', async () => {
  const { repro } = await exported();
  const after = lastActNumber(repro.inputs);
  const freeze = { api: 'control', target: '/_sandbox/clock/freeze', body: null } as const;
  const [{ response: _none, ...request }] = sampleRequest(1, { ...freeze, acts: [], after });
  repro.inputs.push(request);
  repro.end = { kind: 'end' };
  const file = await readRepro(writeRepro(repro));
  withoutTimeouts();
  const { result, divergence } = await replayFile(file);
  expect(result).toBe('diverged');
  expect(divergence).toEqual([expect.objectContaining({ input: `${after}.1` })]);
});

test('a request that cannot be sent is reported without its control characters', async () => {
  const { repro } = await exported();
  const [first] = repro.inputs;
  if (first?.kind !== 'request') throw first;
  Object.assign(first, {
    api: 'control',
    method: 'A\r\n\u001b[2J\u202e',
    headers: [['a\n', 'b\u0000']],
  });
  const { divergence } = await replayFile(await readRepro(writeRepro(repro)));
  const shown = formatDifferences(divergence, { colors: { dim: String } } as never).join('');
  expect(shown).toContain('does not act');
  expect(shown).not.toMatch(/[\p{C}]/u);
});

test('a world that is opened beyond a divergence says from which input on', async () => {
  const { repro } = await exported();
  const last = lastActNumber(repro.inputs);
  const [first] = repro.inputs;
  if (first?.kind !== 'request' || !first.response || 'closed' in first.response) throw first;
  first.response.status = 299;
  const opened = await openRepro(repro, last);
  await opened.sandbox.close();
  expect(opened.diverged).toBe(String(first.acts[0]));
});
