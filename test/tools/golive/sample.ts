import { gateSchema } from '../../../src/tools/golive/gate.ts';
import { ITEMS } from '../../../src/tools/golive/items.ts';
import { makeReport } from '../../../src/tools/golive/make-report.ts';
import type { Evidence } from '../../../src/tools/golive/observation.ts';
import { showReport } from '../../../src/tools/golive/show-report.ts';
import { NOW, observation, source } from './exports.ts';

const NOT_REQUESTED =
  /^(call|list)\.(showDomain|post(CheckoutSession|Brokerage|Link)|get(My.*|Cases?|Links|Eligibility|Payouts|Analytics))$/;
const NOT_USED = /^(checkout|brokerage|referral)\.|\.price_refreshed$|payout|case_completed$/;
const OPEN = new Set([
  'error.forbidden',
  'error.invalid_signature',
  'status.MANUAL_REVIEW',
  'status.CANCELLED',
  'hook.rejects_forgery',
  'hook.reordered',
  'hook.tested',
  'sale.lost_response',
]);

const evidence = (id: string, text: string): Evidence => ({
  kind: 'request',
  id,
  world: 'default',
  at: NOW,
  text,
});

/** The report of an integration that retries a lost order with a new Idempotency-Key, as a terminal shows it. */
export function sampleOutput(): string {
  const ids = ITEMS.map(({ id }) => id);
  const used = ids.filter((id) => !NOT_REQUESTED.test(id) && !NOT_USED.test(id));
  const lost = observation('sale.lost_response', 'contradicted', {
    evidence: [
      evidence(
        'req_000005c…',
        'POST /orders → connection closed, order ord_0000009… recorded, key 5f0c…',
      ),
      evidence('req_000005d…', 'POST /orders → 409 conflict, same body, another key, key 91ab…'),
    ],
  });
  const observations = [
    ...used.filter((id) => id.startsWith('call.')).map((id) => observation(id, 'used')),
    observation('hook.status_200', 'used'),
    ...used.filter((id) => !OPEN.has(id)).map((id) => observation(id, 'met')),
    lost,
  ];
  const require = ITEMS.filter(({ id, level }) => level === 'must' && used.includes(id)).map(
    ({ id }) => id,
  );
  const content = gateSchema(ids).parse({
    items_version: 1,
    require,
    waive: [
      { id: 'hook.reordered', reason: 'Events are processed one at a time', until: '2027-03-01' },
    ],
  });
  const report = makeReport({
    sources: [source(observations)],
    gate: { file: 'sandlot.golive.json', content },
    sandlot: '0.1.0',
    now: NOW,
  });
  const asIs = (text: string) => text;
  const colors = { bold: asIs, dim: asIs, success: asIs, error: asIs, warning: asIs };
  return showReport(report, { colors }, { html: 'golive.html' }).join('\n');
}
