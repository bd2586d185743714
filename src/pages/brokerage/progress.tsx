import type { Context } from 'hono';
import { formatMoney } from '../../kernel/money.ts';
import { type BrokerageCase, caseOfToken, caseTimelineOf } from '../../market/brokerage/cases.ts';
import { requirePartner } from '../../market/partners/credentials.ts';
import type { CaseStatus, Tier } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { DescriptionList } from '../../ui/layout.tsx';
import { LongTimestamp } from '../../ui/text.tsx';
import { brokenLinkPage, type Page } from '../layout.tsx';
import { respondInWorld } from '../page-request.ts';

/** What buyers read about each status. */
const STATUS_TEXTS: Record<CaseStatus, [title: string, description: string]> = {
  OPEN: ['Request received', 'We are contacting the owner to ask whether the domain is for sale.'],
  NEGOTIATING: ['In negotiation', 'The owner has replied. The price is under negotiation.'],
  COMPLETED: ['Deal closed', 'The owner has agreed. The domain is being transferred to you.'],
  CLOSED: ['Closed without a deal', 'The owner is not selling, or not at this price.'],
};

const SERVICES: Record<Tier, string> = { managed: 'Managed by a broker', self_serve: 'Self-serve' };

/** GET /brokerage/{token}: the progress of a case, without a login (specification, POST /brokerage). */
export function showProgress(c: Context) {
  const renderCase = (tx: Tx) => {
    const row = caseOfToken(tx, c.req.param('token') ?? '');
    return row && progressPage(tx, row);
  };
  return respondInWorld(c, renderCase, brokenLinkPage('This progress link does not work', 404));
}

/** Without the budget, since the link may be passed on. */
function progressPage(tx: Tx, row: BrokerageCase): Page {
  const { domain, tier, dealPriceCents, currency } = row;
  const partner = requirePartner(tx, row.partnerId).name;
  const timeline = caseTimelineOf(tx, row.id);
  const [title, description] = STATUS_TEXTS[row.status];
  return {
    status: 200,
    title: `${domain}: ${title}`,
    content: (
      <article class="sheet notice stack">
        <p class="eyebrow">
          Brokerage through <bdi>{partner}</bdi>
        </p>
        <h1>{domain}</h1>
        <p>
          <strong>{title}.</strong> {description}
        </p>
        <DescriptionList
          items={[
            ['Service', SERVICES[tier]],
            [
              'Agreed price',
              dealPriceCents !== null && `${formatMoney(dealPriceCents, currency)} ${currency}`,
            ],
            ['Last change', <LongTimestamp at={row.updatedAt} />],
          ]}
        />
        <h2>Progress</h2>
        <ol class="steps">
          {timeline.map(({ status, at }) => (
            <li class={status === 'CLOSED' ? 'ended' : undefined}>
              <strong>{STATUS_TEXTS[status][0]}</strong>
              <p class="quiet small">
                <LongTimestamp at={at} />
              </p>
            </li>
          ))}
        </ol>
      </article>
    ),
  };
}
