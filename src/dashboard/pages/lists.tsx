import { credentialEndpoints } from '../../control/credentials.ts';
import { eventEndpoints } from '../../control/events.ts';
import { faultEndpoints } from '../../control/faults.ts';
import { fireEndpoints } from '../../control/fire.ts';
import { inventoryEndpoints } from '../../control/inventory.ts';
import { saleEndpoints } from '../../control/sales.ts';
import { snapshotEndpoints } from '../../control/snapshots.ts';
import { webhookEndpoints } from '../../control/webhooks.ts';
import { worldEndpoints } from '../../control/worlds.ts';
import { describeMatch, fault } from '../../faults/fault.ts';
import {
  type FaultKind,
  type FieldRow,
  type FieldTable,
  MATCHERS,
  REQUEST_EFFECTS,
  WEBHOOK_EFFECTS,
} from '../../faults/fault-fields.ts';
import { controlCase } from '../../market/brokerage/case.ts';
import { CASE_MOVES } from '../../market/brokerage/move-case.ts';
import { controlSession } from '../../market/checkout/session.ts';
import { listing } from '../../market/inventory/listing.ts';
import { credential } from '../../market/partners/credential.ts';
import { controlPayout } from '../../market/payout.ts';
import { controlStatement } from '../../market/settlements/statement.ts';
import { controlTransaction } from '../../market/transactions/transaction.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import { controlEvent } from '../../webhooks/event.ts';
import { controlRegistration } from '../../webhooks/registration.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import { snapshot, world } from '../../world/resources.ts';
import { urlInWorld } from '../../world/urls.ts';
import type { Action } from '../actions.tsx';
import { Link } from '../page.tsx';
import { Identity, resourcePages } from '../resource-pages.tsx';

const API = '/api/partner/v1';

export const checkouts = resourcePages({
  title: 'Checkouts',
  singular: 'checkout session',
  lead: 'Hosted checkout pages that partners have opened, newest first.',
  endpoint: saleEndpoints.listCheckoutSessions,
  resource: controlSession,
  detail: saleEndpoints.getCheckoutSession,
  itemActions: ({ session_id: id, status }) =>
    status === 'OPEN'
      ? [
          { label: 'Pay', call: `POST /checkout-sessions/${id}/pay` },
          { label: 'Cancel', call: `POST /checkout-sessions/${id}/cancel` },
        ]
      : [],
  emptyCommands: [`request POST ${API}/checkout-session --data '{"domain":"held-order.test"}'`],
});

export const transactions = resourcePages({
  lead: 'Sales of every payment model, newest first. Those of an order move with it.',
  endpoint: saleEndpoints.listTransactions,
  resource: controlTransaction,
  detail: saleEndpoints.getTransaction,
  itemActions({ transaction_id: id, domain, status, order_public_id: order }) {
    if (order !== null || status === 'REFUNDED') return [];
    const deliver = { label: 'Deliver', call: `POST /transactions/${id}/deliver` };
    const refund = {
      label: 'Refund',
      call: `POST /transactions/${id}/refund`,
      confirm: `Refund the sale of ${domain}? This cannot be undone.`,
    };
    return status === 'PAID' ? [deliver, refund] : [refund];
  },
  emptyCommands: ['checkout pay cs_…'],
});

const MOVES = { OPEN: 'Open', NEGOTIATING: 'Negotiate', COMPLETED: 'Complete', CLOSED: 'Close' };

export const brokerage = resourcePages({
  singular: 'brokerage case',
  lead: 'Cases to acquire domains that are not listed, newest first.',
  endpoint: saleEndpoints.listCases,
  resource: controlCase,
  detail: saleEndpoints.getCase,
  itemActions: ({ case_id: id, status }) =>
    CASE_MOVES[status].map((to) => ({
      label: MOVES[to],
      call: `POST /brokerage/${id}/advance`,
      send: { to },
    })),
  emptyCommands: [
    `request POST ${API}/brokerage --data '{"domain":"wanted.com","tier":"managed","buyer_email":"ada@example.com","budget_cents":500000}'`,
  ],
});

export const RUN_SETTLEMENT: Action = {
  label: 'Run settlement',
  call: 'POST /settlements/run',
  confirm: 'Close the settlement period now and settle all completed orders?',
};

export const settlements = resourcePages({
  singular: 'settlement statement',
  lead: 'Statements of settlement periods, newest first. A run closes the current period.',
  endpoint: saleEndpoints.listStatements,
  resource: controlStatement,
  detail: saleEndpoints.getStatement,
  listActions: () => [RUN_SETTLEMENT],
  emptyCommands: ['settlements run'],
});

export const payouts = resourcePages({
  lead: 'Commissions that were paid to partners, newest first.',
  endpoint: saleEndpoints.listPayouts,
  resource: controlPayout,
  detail: saleEndpoints.getPayout,
  listActions: () => [
    {
      label: 'Run payouts',
      call: 'POST /payouts/run',
      confirm: 'Pay out all pending commissions now?',
    },
  ],
  emptyCommands: ['payouts run'],
});

export const events = resourcePages({
  lead: 'Changes of orders and brokerage cases, newest first. Each event is sent to the webhook of its partner.',
  endpoint: eventEndpoints.listEvents,
  resource: controlEvent,
  columns: ['subject_id', 'created_at'],
  firstCell: ({ id, type, data }) => (
    <details class="inline">
      <summary>
        <Identity label={type} id={id} />
      </summary>
      <CodeBlock text={JSON.stringify(data, null, 2)} label={`Data of ${id}`} />
    </details>
  ),
  itemActions: ({ id }) => [
    { label: 'Deliveries', to: '/dashboard/deliveries', query: { event_id: id } },
    { label: 'Resend', call: `POST /events/${id}/resend` },
  ],
  emptyHint: 'Recording an order creates the first event. Start a receiver to see its webhook.',
  emptyCommands: ['webhooks listen --register'],
});

export const webhooks = resourcePages({
  lead: 'Registered URLs, one for each partner and environment.',
  endpoint: webhookEndpoints.getWebhooks,
  resource: controlRegistration,
  keyOf: ({ partner_id, environment }) => `${partner_id} ${environment}`,
  itemActions: ({ partner_id, environment, url, pending_deliveries: pending }) => [
    {
      label: 'Remove',
      call: 'DELETE /webhooks',
      query: { partner: partner_id, environment },
      confirm: `Remove ${url}? ${pending === 0 ? 'It has no pending deliveries.' : `Its pending deliveries fail: ${pending}.`}`,
    },
  ],
  forms: [
    { endpoint: webhookEndpoints.putWebhooks, title: 'Register a URL' },
    {
      endpoint: fireEndpoints.postWebhooksFire,
      title: 'Fire a webhook',
      fields: ['type', 'order', 'url', 'secret', 'times', 'corrupt_signature'],
      created: 'Result of the attempts',
    },
  ],
  emptyHint:
    'Register one here or with PUT /api/partner/webhooks, or start a receiver that registers itself.',
  emptyCommands: ['webhooks listen --register'],
});

export const faults = resourcePages({
  lead: 'Faults in partner API requests and webhooks. They are matched in this order, and only the first that acts is injected.',
  endpoint: faultEndpoints.getFaults,
  resource: fault,
  columns: ['effect', 'hits'],
  firstCell: (row) => <Identity label={describeMatch(row)} id={row.fault_id} />,
  listActions: ({ world: { name } }) => [
    {
      label: 'Delete all',
      call: 'DELETE /faults',
      confirm: `Delete all faults of world ${name}?`,
    },
  ],
  forms: [
    faultForm('request', 'effect', REQUEST_EFFECTS),
    faultForm('webhook', 'webhook', WEBHOOK_EFFECTS),
  ],
  itemActions: ({ fault_id: id }) => [
    { label: 'Requests', to: '/dashboard/requests', query: { text: id } },
    // In the configuration file, an id can be any text.
    { label: 'Delete', call: `DELETE /faults/${encodeURIComponent(id)}` },
  ],
  emptyHint: 'Add one above, or from a terminal.',
  emptyCommands: ['faults add --method POST --path /orders --code internal_error --first 3'],
});

function faultForm(kind: FaultKind, object: 'effect' | 'webhook', effects: FieldTable) {
  const matchers = Object.entries<FieldRow>(MATCHERS).filter(
    ([, { onlyFor = kind }]) => onlyFor === kind,
  );
  return {
    endpoint: faultEndpoints.postFault,
    title: `Add a ${kind} fault`,
    fields: [
      ...matchers.map(([name]) => `match.${name}`),
      ...Object.keys(effects).map((name) => `${object}.${name}`),
      'times',
    ],
  };
}

export const inventory = resourcePages({
  singular: 'listing',
  lead: 'Listed and sold domains, last added first.',
  endpoint: inventoryEndpoints.getInventory,
  resource: listing,
  columns: ['status', 'price_cents', 'floor_price_cents'],
  firstCell: ({ domain, category, keywords }) => (
    <>
      <Mono>{domain}</Mono>
      <span class="sub">
        <Text>{[category, ...keywords].join(' · ')}</Text>
      </span>
    </>
  ),
  forms: [
    {
      endpoint: inventoryEndpoints.postListing,
      title: 'Add a domain',
      fields: ['domain', 'price_cents', 'floor_price_cents', 'category', 'keywords', 'environment'],
    },
  ],
  itemActions: ({ domain, environment }) => [
    {
      label: 'Remove',
      call: `DELETE /inventory/${domain}`,
      query: { environment },
      confirm: `Remove ${domain} from the inventory?`,
    },
  ],
  emptyHint: 'Add a domain above, or import a file from a terminal.',
  emptyCommands: ['inventory add brewpilot-one.com --price 1999.00'],
});

export const credentials = resourcePages({
  lead: 'Keys of partners. A key belongs to the world in which it was created.',
  endpoint: credentialEndpoints.getCredentials,
  resource: credential,
  columns: ['partner', 'environment', 'scopes'],
  firstCell: ({ key_id }) => (
    <Link to="/dashboard/requests" query={{ where: `key:${key_id}` }} title="Show requests">
      <Mono>{key_id}</Mono>
    </Link>
  ),
  forms: [
    {
      endpoint: credentialEndpoints.postCredential,
      title: 'Create a credential',
      fields: ['partner', 'environment', 'scopes', 'affiliate'],
      created: 'Credential created. Copy the secret now; it is not shown again here.',
    },
  ],
  itemActions({ key_id: id, approved }) {
    const approve = { label: 'Approve', call: `POST /credentials/${id}/approve` };
    const revoke = {
      label: 'Revoke',
      call: `DELETE /credentials/${id}`,
      confirm: `Revoke ${id}? Requests signed with it will be rejected.`,
    };
    return approved ? [revoke] : [approve, revoke];
  },
  emptyCommands: ['credentials create'],
});

export const worlds = resourcePages({
  lead: 'Isolated marketplaces on one port. A key belongs to the world in which it was created.',
  endpoint: worldEndpoints.getWorlds,
  resource: world,
  columns: ['seed', 'clock', 'frozen'],
  listActions: ({ world: { name } }) => [
    { label: 'Reset rate limits', call: 'POST /rate-limits/reset' },
    {
      label: 'Reset this world',
      call: 'POST /reset',
      confirm: `Reset world ${name} to its seed? Credentials and snapshots stay; orders, events and everything else are deleted.`,
    },
  ],
  forms: [{ endpoint: worldEndpoints.postWorld, title: 'Create a world' }],
  firstCell: ({ name }) => (
    <a href={urlInWorld(name, '/dashboard/worlds')}>
      <Mono>{name}</Mono>
    </a>
  ),
  // A page cannot delete the world that it shows.
  itemActions: ({ name }, page) =>
    name === DEFAULT_WORLD || name === page.world.name
      ? []
      : [
          {
            label: 'Delete',
            call: `DELETE /worlds/${name}`,
            confirm: `Delete world ${name} and everything in it?`,
          },
        ],
  emptyCommands: [],
});

export const snapshots = resourcePages({
  lead: 'Saved states of this world, by name.',
  endpoint: snapshotEndpoints.getSnapshots,
  resource: snapshot,
  forms: [{ endpoint: snapshotEndpoints.postSnapshot, title: 'Save a snapshot' }],
  itemActions: ({ name }) => [
    {
      label: 'Restore',
      call: `POST /snapshots/${name}/restore`,
      confirm: `Restore snapshot ${name}? Everything since is lost.`,
    },
    {
      label: 'Delete',
      call: `DELETE /snapshots/${name}`,
      confirm: `Delete snapshot ${name}?`,
    },
  ],
  emptyHint: 'Save one before you try something, and restore it as often as you like.',
  emptyCommands: ['snapshots save paid'],
});
