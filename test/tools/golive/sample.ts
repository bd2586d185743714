import { ITEMS } from '../../../src/tools/golive/items.ts';
import type { WorldEvidence } from '../../../src/tools/golive/observations.ts';
import { showReport } from '../../../src/tools/golive/show-report.ts';
import { COLORLESS, NOW, observation, reportOn } from './reports.ts';

const NOT_REQUESTED =
  /^(call|list)\.(showDomain|post(CheckoutSession|Brokerage|Link)|get(My.*|Cases?|Links|Eligibility|Payouts|Analytics))$/;
const NOT_USED = /^(checkout|brokerage|referral)\.|\.price_refreshed$|payout|case_completed$/;
const OPEN = new Set([
  'error.forbidden',
  'error.invalid_signature',
  'status.MANUAL_REVIEW',
  'status.CANCELLED',
  'hook.rejects_forgery',
  'hook.tested',
  'request.known_fields',
  'sale.lost_response',
]);

const evidence = (id: string, text: string): WorldEvidence => ({
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
    ...used.filter((id) => id.startsWith('call.')).map((id) => observation(id.slice(5), 'used')),
    observation('attempt', 'used'),
    ...used.filter((id) => !OPEN.has(id)).map((id) => observation(id, 'met')),
    lost,
    observation('request.known_fields', 'contradicted'),
  ];
  const require = ITEMS.filter(({ id, level }) => level === 'must' && used.includes(id)).map(
    ({ id }) => id,
  );
  const accept = { 'request.known_fields': 'The search page sends a tracking parameter' };
  const report = reportOn(observations, { require, accept });
  return showReport(report, { colors: COLORLESS }, { html: 'golive.html' }).join('\n');
}
