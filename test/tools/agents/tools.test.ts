import { describe, expect, onTestFinished, test } from 'vitest';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';
import { calls, ifServed } from '../../../src/tools/agents/action.ts';
import { toolDefinitions } from '../../../src/tools/agents/server.ts';
import { AGENT_TOOLS } from '../../../src/tools/agents/tools.ts';
import { TOOLS } from '../../../src/tools/index.ts';
import { allEvents, magic, orderBody, orderFor, requestOrder } from '../../support/orders.ts';
import { deliveriesOf, HELD as HELD_OPEN, withReceiver } from '../../support/receiver.ts';
import { loggedIds } from '../../support/request-log.ts';
import { sandbox } from '../../support/sandbox.ts';
import { type Agent, agentOf } from './agent.ts';

const HELD = magic('held-order', 250_000);

/** A sandbox with a webhook that was delivered. */
async function afterASale() {
  const { at, hook } = await withReceiver();
  const { public_id: order } = await orderFor(at, 0);
  await at.idle();
  const [[event], [delivery]] = [await allEvents(at), await deliveriesOf(at)];
  const [request = ''] = await loggedIds(at, { where: 'path:/orders' });
  const ids = { order, event: event?.id ?? '', delivery: delivery?.delivery_id ?? '' };
  return { at, hook, scene: { ...ids, request, hook: hook.url } };
}

/** IDs that the calls are about, and the URL of a receiver. */
type Scene = Record<'order' | 'event' | 'delivery' | 'request' | 'hook', string>;

/** A call of each action, in an order that works. */
function everyAction({ order, event, delivery, request, hook }: Scene) {
  const world = 'agent-made';
  return [
    ['status', { action: 'show' }],
    ['requests', { action: 'list', where: 'status:2xx method:POST', limit: 5 }],
    ['requests', { action: 'show', id: request }],
    ['requests', { action: 'diff', id: request, with: request }],
    ['requests', { action: 'explain', id: request }],
    ['orders', { action: 'list', status: 'EXTERNALLY_PAID', domain: 'held-order.test' }],
    ['orders', { action: 'show', id: order }],
    ['orders', { action: 'story', id: order }],
    ['orders', { action: 'why_not', id: order, to: 'SETTLED' }],
    ['orders', { action: 'advance', id: order, to: 'TRANSFER_COMPLETED', note: 'by an agent' }],
    ['webhooks', { action: 'register', url: hook, secret: 'whsec_agent' }],
    ['webhooks', { action: 'list', event_id: event }],
    ['webhooks', { action: 'show', id: delivery }],
    ['webhooks', { action: 'resend', id: event }],
    ['events', { action: 'list', subject_id: order }],
    ['clock', { action: 'show' }],
    ['clock', { action: 'advance', by: '1m' }],
    ['clock', { action: 'until', event: 'order.recorded' }],
    ['clock', { action: 'resume' }],
    ['clock', { action: 'freeze' }],
    ['faults', { action: 'add', match: { path: '/orders' }, effect: { code: 'conflict' } }],
    ['faults', { action: 'list' }],
    ['worlds', { action: 'create', name: world }],
    ['worlds', { action: 'list' }],
    ['worlds', { action: 'credential', world, scopes: ['search'] }],
    ['worlds', { action: 'snapshot', name: 'saved', world }],
    ['worlds', { action: 'restore', name: 'saved', world }],
    ['worlds', { action: 'reset', world }],
    ['repro', { action: 'export', request }],
    ['golive', { action: 'report' }],
    ['golive', { action: 'item', id: 'error.validation_error' }],
    ['docs', { action: 'search', text: 'retry' }],
    ['docs', { action: 'read', page: 'signing' }],
  ] as const;
}

/** Calls each action once; each answer must match the schema that the tool declares. */
async function callEveryAction(agent: Agent, scene: Scene): Promise<string[]> {
  const called: string[] = [];
  for (const [name, args] of everyAction(scene)) {
    const { world, data, next } = await agent.call(name, args);
    called.push(`${name} ${args.action}`);
    if (world !== ('world' in args ? args.world : 'default')) throw new Error(`${name}: ${world}`);
    if (next.length > 3) throw new Error(`${name}: ${next}`);
    if (name === 'faults' && args.action === 'list') {
      await agent.call('faults', { action: 'remove', fault_id: data.faults[0].fault_id });
      called.push('faults remove');
    }
  }
  return called;
}

const ALL_ACTIONS = Object.entries(AGENT_TOOLS).flatMap(([name, { actions }]) =>
  Object.keys(actions).map((action) => `${name} ${action}`),
);

describe('the definitions', () => {
  test('of at most 12 tools take under 3,000 tokens, at 4 characters per token', () => {
    const tools = toolDefinitions();
    expect(tools.length).toBeLessThanOrEqual(12);
    expect(JSON.stringify(tools).length / 4).toBeLessThan(3_000);
  });

  test('say what reads, changes and destroys', () => {
    const hints = toolDefinitions().map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint ? 'reads' : annotations?.destructiveHint ? 'destroys' : 'changes',
    ]);
    expect(Object.fromEntries(hints)).toEqual({
      status: 'reads',
      requests: 'reads',
      orders: 'changes',
      webhooks: 'destroys',
      events: 'reads',
      clock: 'changes',
      faults: 'destroys',
      worlds: 'destroys',
      repro: 'reads',
      golive: 'reads',
      docs: 'reads',
    });
  });

  test('have the inputs of the endpoints', () => {
    const inputs = (name: string) =>
      toolDefinitions().find((each) => each.name === name)?.inputSchema.properties;
    expect(inputs('orders')).toMatchObject({
      action: { enum: ['list', 'show', 'story', 'why_not', 'advance'] },
      id: { type: 'string', description: 'ID of the order' },
      status: { enum: expect.arrayContaining(['SETTLED']) },
      to: { description: expect.stringContaining('why_not: State to explain; advance: ') },
      limit: { type: 'integer' },
      world: { type: 'string' },
    });
    for (const { actions } of Object.values(AGENT_TOOLS)) {
      const all = Object.values(actions).flatMap((action) => Object.entries(action.inputs));
      const typed = all.map(([name, field]) => `${name} ${field.type} ${field.values?.join()}`);
      expect(new Set(typed).size).toBe(new Set(all.map(([name]) => name)).size);
    }
    expect(inputs('faults')).toMatchObject({
      match: { properties: { nth: { type: 'integer' }, method: { enum: ['GET', 'POST', 'PUT'] } } },
      webhook: { properties: { duplicate: { type: 'boolean' } } },
    });
  });
});

describe('over HTTP', () => {
  test('every action gives what its output schema accepts', async () => {
    const { at, scene } = await afterASale();
    const called = await callEveryAction(await agentOf(at), scene);
    expect(called.toSorted()).toEqual(ALL_ACTIONS.toSorted());
  });

  test('is stateless, and speaks the revision without a handshake too', async () => {
    const at = await sandbox();
    const response = await at.fetch('/_sandbox/mcp', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Mcp-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'clock',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'clock',
          arguments: { action: 'show' },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      result: { structuredContent: { world: 'default', data: { frozen: true } } },
    });
    for (const method of ['GET', 'DELETE']) {
      expect((await at.fetch('/_sandbox/mcp', { method })).status).toBe(405);
    }
  });

  test('another page and another Host get 403', async () => {
    const at = await sandbox();
    const foreign = { Origin: 'http://evil.example', 'Content-Type': 'application/json' };
    const from = await at.fetch('/_sandbox/mcp', { method: 'POST', headers: foreign, body: '{}' });
    expect(from.status).toBe(403);
    const rebound = await at.fetch('http://evil.example/_sandbox/mcp', { method: 'POST' });
    expect(rebound.status).toBe(403);
  });

  test('off loopback, the control token is needed, and enough', async () => {
    const controlToken = 'a token of this test';
    const options = { inventory: 5, controlToken, host: '0.0.0.0', tools: TOOLS };
    const opened = await openSandbox(options);
    onTestFinished(() => opened.close());
    const app = opened.app;
    const at = (token: string) => ({
      url: 'http://sandlot:4010',
      fetch: async (url: string | URL | Request, init?: RequestInit) => {
        const request = new Request(url, init);
        request.headers.set('Authorization', `Bearer ${token}`);
        return app.request(request);
      },
    });
    const without = { method: 'POST', body: '{}' };
    expect((await app.request('http://127.0.0.1/_sandbox/mcp', without)).status).toBe(401);
    await expect(agentOf(at('wrong'))).rejects.toThrow();
    const { data } = await (await agentOf(at(controlToken))).call('orders', { action: 'list' });
    expect(data).toMatchObject({ orders: [], total: 0 });
  });

  test('a call is in the request log of its world, as a call of the control API', async () => {
    const at = await sandbox();
    const agent = await agentOf(at);
    await agent.call('clock', { action: 'advance', by: '1m' });
    const { data } = await agent.call('requests', { action: 'list', api: 'all' });
    expect(data.requests).toMatchObject([{ api: 'control', endpoint: '/_sandbox/clock/advance' }]);
  });
});

describe('worlds', () => {
  test('that of the connection is created on first use and keeps two clients apart', async () => {
    const at = await sandbox();
    const [one, two] = [await agentOf(at, '?world=mcp-one'), await agentOf(at, '?world=mcp-two')];
    const { data: worlds } = await (await agentOf(at)).call('worlds', { action: 'list' });
    expect(worlds.worlds).toMatchObject([{ name: 'default' }]);
    await Promise.all([one, one, two].map((each) => each.call('status')));
    const { data: key } = await one.call('worlds', { action: 'credential' });
    await orderFor(at, HELD, key);
    expect((await one.call('orders', { action: 'list' })).data.orders).toHaveLength(1);
    const orders = await two.call('orders', { action: 'list' });
    expect(orders).toMatchObject({ world: 'mcp-two', data: { orders: [] } });
    const { world, data, next } = await two.call('orders', { action: 'list', world: 'mcp-one' });
    expect(world).toBe('mcp-one');
    const [{ public_id: id }] = data.orders;
    expect(next).toEqual([`orders {"action":"story","id":"${id}","world":"mcp-one"}`]);
    const rejected = await two.rejected('orders', { action: 'show', id: 'x', world: 'mcp-one' });
    expect(rejected.next).toEqual(['orders {"action":"list","world":"mcp-one"}']);
    const whyNot = { action: 'why_not', id, to: 'SETTLED', world: 'mcp-one' };
    expect((await two.call('orders', whyNot)).next).toEqual([]);
  });

  test('one that an argument names must exist', async () => {
    const agent = await agentOf(await sandbox());
    expect(await agent.rejected('status', { world: 'w9' })).toEqual({
      error: { code: 'not_found', message: expect.stringContaining('world "w9" not found') },
      world: 'w9',
      next: ['worlds {"action":"list"}', 'worlds {"action":"create","name":"w9"}'],
    });
    const { next } = await agent.rejected('status', { world: 'W 9' });
    expect(next).toEqual(['worlds {"action":"list"}']);
    expect((await agent.call('worlds', { action: 'list' })).data.worlds).toHaveLength(1);
  });

  test.each([{}, { world: 'default' }])('one that is reset during %j exists', async (args) => {
    const { at, hook } = await withReceiver(HELD_OPEN);
    await orderFor(at);
    const moving = (await agentOf(at)).rejected('clock', { action: 'advance', by: '1h', ...args });
    await hook.came(1);
    await at.control.post('/reset');
    hook.release();
    const { error, next } = await moving;
    expect(error.message).toContain('world: default was reset');
    expect(next).toEqual(['worlds {"action":"list"}']);
  });
});

describe('what is rejected', () => {
  test('an unknown tool is an error of the protocol that lists the tools', async () => {
    const agent = await agentOf(await sandbox());
    const call = agent.client.callTool({ name: 'shell', arguments: {} });
    await expect(call).rejects.toThrow(/unknown tool "shell"; use status, requests, /);
  });

  test.each([
    ['orders', {}, 'action: must be one of list, show, story, why_not, advance'],
    ['orders', { action: 'delete' }, 'action: must be one of list, show, '],
    ['orders', { action: 'show' }, 'id: is required'],
    ['orders', { action: 'show', id: 'x', domain: 'y' }, 'domain: not for show; use id, world'],
    ['orders', { action: 'list', limit: 0 }, 'limit: must be from 1 to 100'],
    ['orders', { action: 'list', status: 'SOLD' }, 'status: must be one of EXTERNALLY_PAID'],
    ['orders', { action: 'list', cursor: 'x' }, 'cursor: invalid'],
    ['orders', { action: 'advance', id: 'ord_\ud800' }, 'order ord_\ufffd not found'],
    ['clock', { action: 'advance', by: 'soon' }, 'by: must be a duration'],
    ['clock', { action: 'until' }, 'event: pass either'],
    ['faults', { action: 'add', effect: { status: 503 } }, 'effect.status: '],
    ['faults', { action: 'add', match: { nht: 2 } }, 'match: unknown field "nht"'],
    ['worlds', { action: 'create', name: 'a b' }, 'name: must be lower-case'],
    ['webhooks', { action: 'register', url: 'file:///etc/passwd', secret: 's' }, 'url: '],
    ['repro', { action: 'export', last: 1, order: 'x' }, 'request: pass only one of'],
    ['repro', { action: 'export', request: 'req_none' }, 'request req_none not found'],
    ['golive', { action: 'item', id: 'none' }, 'id: item "none" not found'],
    ['golive', { action: 'report', cursor: '-1' }, 'cursor: invalid'],
    ['docs', { action: 'read', page: '../a.json' }, 'page: "../a.json" not found; use '],
    ['docs', { action: 'search', text: 'a', world: 'W 9' }, 'world: "W 9" is not a name'],
    ['orders', { action: 'show', id: '' }, 'id: "" is invalid'],
    ['requests', { action: 'explain', id: '..' }, 'id: ".." is invalid'],
  ])('%s %j', async (name, args, message) => {
    const agent = await agentOf(await sandbox());
    const { error, next } = await agent.rejected(name, args);
    expect(error.message).toContain(message);
    expect(next.length).toBeGreaterThan(0);
    const { data } = await agent.call('requests', { action: 'list', where: 'status:2xx' });
    expect(data.requests).toEqual([]);
  });
});

describe('long results', () => {
  test('text of others is cut at 4 KB per field, and says how long it is', async () => {
    const at = await sandbox();
    const note = 'ü'.repeat(6_000);
    await requestOrder(at, orderBody(HELD, { note }));
    const agent = await agentOf(at);
    const [{ request_id: id }] = (await agent.call('requests', { action: 'list' })).data.requests;
    const { request } = (await agent.call('requests', { action: 'show', id })).data;
    const { error } = await agent.rejected('orders', { action: 'show', id: note });
    for (const text of [request.body, error.message]) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
      expect(text).toMatch(/ü \[cut, \d+ bytes\]$/);
    }
    const world = '\u0001'.repeat(9_000);
    const rejection = await agent.rejected('orders', { action: 'list', world, [world]: '' });
    expect(Buffer.byteLength(JSON.stringify(rejection))).toBeLessThanOrEqual(32 * 1024);
  });

  test('a list is cut at 32 KB between rows, and its cursor continues there', async () => {
    const at = await sandbox({ rateLimits: false });
    const targetOf = (n: number) => `/api/partner/v1/orders?q=${n}${'x'.repeat(3_000)}`;
    const sent = Array.from({ length: 40 }, (_, n) => targetOf(n));
    for (const target of sent) await at.call({ method: 'GET', target });
    const list = { action: 'list', limit: 100 };
    const requests = await allRows(await agentOf(at), 'requests', list, 'requests');
    expect(requests).toMatchObject(sent.toReversed().map((target) => ({ target })));
  });

  test('a list that the sandbox does not page is continued too', async () => {
    const at = await sandbox();
    const { public_id: id } = await orderFor(at);
    for (let n = 0; n < 80; n += 1) {
      const body = { action: n % 2 === 0 ? 'hold' : 'clear', note: 'x'.repeat(400) };
      await at.control.post(`/orders/${id}/advance`, body);
    }
    const steps = await allRows(await agentOf(at), 'orders', { action: 'story', id }, 'steps');
    expect(await at.control.get(`/orders/${id}/story`)).toMatchObject({ steps });
  });
});

/** Reads a list page by page; no page is longer than 32 KB. */
async function allRows(agent: Agent, tool: string, args: object, field: string) {
  const rows: unknown[] = [];
  let cursor: unknown = null;
  do {
    const answer = await agent.call(tool, { ...args, cursor });
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(32 * 1024);
    rows.push(...answer.data[field]);
    cursor = answer.data.next_cursor;
  } while (cursor !== null);
  return rows;
}

test('an argument that is null is as if omitted', async () => {
  const at = await sandbox();
  await orderFor(at);
  const args = { action: 'list', subject_id: null, world: null };
  expect((await (await agentOf(at)).call('events', args)).data.events).toHaveLength(1);
});

test('what needs an endpoint of a tool that was taken out is left out', () => {
  const declare = (route: string) => ifServed(route, () => ({ one: calls(route) }));
  expect(Object.keys(declare('GET /golive'))).toEqual(['one']);
  expect(declare('GET /taken-out')).toEqual({});
});
