import { AGENT_TOOLS } from '../../../src/tools/agents/tools.ts';
import type { Agent } from './agent.ts';

/** What the calls are about: an order with an event, a delivery, a request and a fault. */
export interface Scene {
  order: string;
  event: string;
  delivery: string;
  request: string;
  hook: string;
}

/** A call of each action, in an order that works. */
export function everyAction({ order, event, delivery, request, hook }: Scene) {
  const world = 'agent-made';
  return [
    ['status', { action: 'show' }],
    ['requests', { action: 'list', status: '2xx', method: 'POST', limit: 5 }],
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
export async function callEveryAction(agent: Agent, scene: Scene): Promise<string[]> {
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

export const ALL_ACTIONS = Object.entries(AGENT_TOOLS).flatMap(([name, { actions }]) =>
  Object.keys(actions).map((action) => `${name} ${action}`),
);
