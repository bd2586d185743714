import fs from 'node:fs';
import path from 'node:path';
import { callRoute, type InputField } from '../../cli/endpoints.ts';
import type { ControlClient } from '../../client/control-client.ts';
import type { Status } from '../../control/status.ts';
import { notFound } from '../../kernel/errors.ts';
import { packagePath } from '../../kernel/fixture.ts';
import { lazily } from '../../kernel/lazily.ts';
import type { ControlOrder } from '../../market/orders/order.ts';
import { describeOutcome, describeSteps } from '../../requests/describe-entry.ts';
import { type Action, type Args, action, callOf, calls, ifServed, inputsOf } from './action.ts';

/** A tool of a coding agent: actions about one noun. */
export interface AgentTool {
  description: string;
  actions: Readonly<Record<string, Action>>;
}

const required = (text: string): InputField => ({ type: 'string', text, required: true });

/** The tools by name: at most 12, whose definitions take under 3,000 tokens. */
export const AGENT_TOOLS: Readonly<Record<string, AgentTool>> = {
  status: {
    description: 'The running sandbox: address, credential, clock. Start here.',
    actions: {
      show: calls('GET /status', {
        next: ({ credential }) => (credential ? [] : [callOf('worlds', 'credential')]),
      }),
    },
  },
  requests: {
    description:
      'What the sandbox received. explain says why a request was rejected, and what it should have signed.',
    actions: {
      list: calls('GET /requests', {
        next: ({ requests }) =>
          forFirst(requests, ({ request_id: id }) => callOf('requests', 'explain', { id })),
      }),
      show: calls('GET /requests/{id}'),
      diff: calls('GET /requests/{id}/diff'),
      explain: action(inputsOf('GET /requests/{id}'), explainRequest, {
        next: ({ code, request_id: id }) => [
          ...(code === 'invalid_signature' ? [callOf('docs', 'read', { page: 'signing' })] : []),
          callOf('repro', 'export', { request: id }),
        ],
      }),
    },
  },
  orders: {
    description: 'Orders of all partners. story tells all that happened; advance moves one.',
    actions: {
      list: calls('GET /orders', {
        only: ['domain', 'status', 'cursor', 'limit'],
        next: ({ orders }) =>
          forFirst(orders, ({ public_id: id }) => callOf('orders', 'story', { id })),
      }),
      show: calls('GET /orders/{id}'),
      ...ifServed('GET /orders/{id}/story', () => ({
        story: calls('GET /orders/{id}/story', {
          listField: 'steps',
          next: ({ public_id: id, status }: Pick<ControlOrder, 'public_id' | 'status'>) => [
            callOf('events', 'list', { subject_id: id }),
            ...(status === 'SETTLED' ? [] : [callOf('orders', 'why_not', { id, to: 'SETTLED' })]),
          ],
        }),
      })),
      why_not: calls('GET /orders/{id}/why-not', {
        // `advance` cannot settle an order. The reason says what can.
        next: ({ public_id: id, to, route }) =>
          route.length === 0 || route.some((step) => step.action === 'settle')
            ? []
            : [callOf('orders', 'advance', { id, to })],
      }),
      advance: calls('POST /orders/{id}/advance', {
        only: ['id', 'to', 'note'],
        next: ({ public_id: id }) => [callOf('events', 'list', { subject_id: id })],
      }),
    },
  },
  webhooks: {
    description:
      'Deliveries to your receiver, with attempts. resend takes an event; register sets the receiver.',
    actions: {
      list: calls('GET /deliveries', {
        next: ({ deliveries }) =>
          forFirst(deliveries, ({ delivery_id: id }) => callOf('webhooks', 'show', { id })),
      }),
      show: calls('GET /deliveries/{id}'),
      resend: calls('POST /events/{id}/resend', {
        next: ({ delivery_id: id }) => [callOf('webhooks', 'show', { id })],
      }),
      register: calls('PUT /webhooks', { effect: 'destroys' }),
    },
  },
  events: {
    description: 'What happened to orders and cases, as sent in webhooks.',
    actions: {
      list: calls('GET /events', {
        next: ({ events }) =>
          forFirst(events, ({ id }) => callOf('webhooks', 'list', { event_id: id })),
      }),
    },
  },
  clock: {
    description:
      'Sandbox time. advance and until run what comes due; until takes event, or order and state.',
    actions: {
      show: calls('GET /clock'),
      advance: calls('POST /clock/advance', { next: () => [callOf('webhooks', 'list')] }),
      until: calls('POST /clock/until', { next: () => [callOf('webhooks', 'list')] }),
      freeze: calls('POST /clock/freeze'),
      resume: calls('POST /clock/resume'),
    },
  },
  faults: {
    description: 'Make requests (effect) or webhooks (webhook) fail on purpose.',
    actions: {
      list: calls('GET /faults'),
      add: calls('POST /faults', {
        next: ({ fault_id }) => [callOf('faults', 'remove', { fault_id })],
      }),
      remove: calls('DELETE /faults/{fault_id}', { effect: 'destroys' }),
    },
  },
  worlds: {
    description:
      'Isolated marketplaces. credential creates a key, which selects its world; reset returns to the seed.',
    actions: {
      list: calls('GET /worlds'),
      create: calls('POST /worlds', {
        only: ['name', 'fork'],
        next: ({ name: world }) => [callOf('worlds', 'credential', { world })],
      }),
      credential: calls('POST /credentials', { only: ['scopes', 'environment', 'partner'] }),
      reset: calls('POST /reset', { effect: 'destroys', only: [] }),
      snapshot: calls('POST /snapshots'),
      restore: calls('POST /snapshots/{name}/restore', { effect: 'destroys', only: ['name'] }),
    },
  },
  ...ifServed('POST /repro/export', () => ({
    repro: {
      description: 'A file that replays what the sandbox received.',
      actions: {
        export: action(inputsOf('POST /repro/export'), exportRepro, {
          next: ({ summary }) => [`sandlot repro replay ${summary.file}`],
        }),
      },
    },
  })),
  ...ifServed('GET /golive', () => ({
    golive: {
      description: 'What the integration was seen to handle, as a checklist for production.',
      actions: {
        report: action({}, reportGolive, {
          listField: 'items',
          next: ({ items }) =>
            forFirst(items.filter(isUnmetMust), ({ id }) => callOf('golive', 'item', { id })),
        }),
        item: action({ id: required('ID of an item.') }, showGoliveItem),
      },
    },
  })),
  docs: {
    description: 'The documentation of sandlot.',
    actions: {
      search: action({ text: required('Words to find.') }, searchDocs, {
        isTrustedText: true,
        next: ({ sections }) => forFirst(sections, ({ page }) => callOf('docs', 'read', { page })),
      }),
      read: action({ page: required('Name of a page.') }, readDocs, {
        isTrustedText: true,
        listField: 'sections',
      }),
    },
  },
};

/** Suggests a call for the first row of a list; none for an empty list. */
function forFirst<Row>(rows: readonly Row[], suggest: (row: Row) => string): string[] {
  return rows.slice(0, 1).map(suggest);
}

/** The fields that are read of the go-live report of another tool. */
interface GoliveReport {
  gate: { passed: boolean };
  items: { id: string; level: string; status: string; title: string; count: number }[];
}
const isUnmetMust = (item: { status: string; level: string }) =>
  item.status !== 'met' && item.level === 'must';

/** Returns the go-live report without evidence and without items that do not apply. */
async function reportGolive(_: Args, control: ControlClient) {
  const { gate, items } = await control.get<GoliveReport>('/golive');
  return {
    passed: gate.passed,
    items: items
      .filter(({ status }) => status !== 'not_applicable')
      .map(({ id, level, status, title, count }) => ({ id, level, status, title, count })),
  };
}

/** Returns an item of the report with its evidence. @throws not_found */
async function showGoliveItem({ id }: Args, control: ControlClient) {
  const { items } = await control.get<GoliveReport>('/golive');
  const item = items.find((entry) => entry.id === id);
  if (item) return item;
  throw notFound(`id: item "${id}" not found; the report lists the items`);
}

/** Exports a repro. Returns its summary and the call that downloads the file, which is binary. */
async function exportRepro(body: Args, control: ControlClient) {
  const { headers } = await control.postForFile('/repro/export', body, 'application/gzip');
  const summary: { file: string } = JSON.parse(headers.get('X-Sandlot-Repro-Summary') ?? '');
  const { url: base, world } = await control.get<Status>('/status');
  const url = `${base}/_sandbox/repro/export?world=${encodeURIComponent(world)}`;
  return { summary, file: { method: 'POST', url, body } };
}

const MAX_SECTIONS = 8;
const MAX_EXCERPT_CHARACTERS = 300;

/** The sections of the documentation in the package. */
const sections = lazily(() => {
  const folder = packagePath('docs');
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.sort().flatMap((name) => {
    const page = name.replace(/\.md$/, '');
    const parts = fs.readFileSync(path.join(folder, name), 'utf8').split(/^(?=#{1,3} )/m);
    return parts.map((text) => ({ page, heading: /^.*/.exec(text)?.[0] ?? '', text }));
  });
});

/** Returns the sections that contain most words. A word in the heading counts twice. */
async function searchDocs({ text: query }: Args) {
  const words = String(query).toLowerCase().split(/\s+/).filter(Boolean);
  const countIn = (text: string) =>
    words.filter((word) => text.toLowerCase().includes(word)).length;
  const matches = sections()
    .map((section) => ({ ...section, score: countIn(section.text) + countIn(section.heading) }))
    .filter(({ score, heading, text }) => score > 0 && text.trim() !== heading)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SECTIONS)
    .map(({ page, heading, text }) => {
      const excerpt = text.slice(heading.length).trim().slice(0, MAX_EXCERPT_CHARACTERS);
      return { page, heading, excerpt };
    });
  return { sections: matches };
}

/** Returns a page as a list of sections, so that a long page is shortened to whole sections. @throws not_found */
async function readDocs({ page }: Args) {
  const parts = sections().filter((section) => section.page === page);
  if (parts.length > 0) return { page, sections: parts.map(({ text }) => text) };
  const pages = [...new Set(sections().map((section) => section.page))];
  throw notFound(`page: "${page}" not found; use ${pages.join(', ')}`);
}

/** Returns the checks of a request and their results, without headers and bodies. */
async function explainRequest({ id }: Args, control: ControlClient) {
  const request = await callRoute(control, 'GET /requests/{id}', { id });
  const { request_id, code, message, at, method, target, warnings } = request;
  const { canonical_string, signed_string } = request;
  return {
    request_id,
    at,
    request: `${method} ${target}`,
    response: describeOutcome(request),
    code,
    message,
    steps: describeSteps(request.trace).map(({ check, result, text }) => ({ check, result, text })),
    warnings,
    // What the client should have signed, and what it signed, if the diagnosis found it.
    ...(code === 'invalid_signature' && { canonical_string, signed_string }),
  };
}
