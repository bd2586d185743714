import type { Context } from 'hono';
import { formatMoney } from '../../kernel/money.ts';
import { type BrokerageCase, caseOfToken, caseTimelineOf } from '../../market/brokerage/cases.ts';
import { requirePartner } from '../../market/partners/credentials.ts';
import { worldOfAddress } from '../../market/row-token.ts';
import type { CaseStatus } from '../../store/schema/enums.ts';
import type { Worlds } from '../../world/worlds.ts';
import { Fact } from '../fact.tsx';
import { notice } from '../notice.tsx';
import { type Page, reply } from '../reply.tsx';
import { Moment } from '../time-in-words.tsx';
import { AHEAD, HEADLINES, STEPS, TIER_WORDS } from './case-words.ts';

/** What a buyer may know of a case: not the budget, which a link that is passed on would give away. */
interface Progress {
  found: BrokerageCase;
  partner: string;
  entries: readonly { status: CaseStatus; at: number }[];
}

/** GET /brokerage/{token}: how the buyer's case stands, without a login (specification, POST /brokerage). */
export async function showProgress(c: Context, worlds: Worlds) {
  const token = c.req.param('token') ?? '';
  const progress = await worlds.find(worldOfAddress(token))?.transaction((tx) => {
    const found = caseOfToken(tx, token);
    if (!found) return undefined;
    const partner = requirePartner(tx, found.partnerId).name;
    return { found, partner, entries: caseTimelineOf(tx, found.id) };
  });
  return reply(c, progress ? progressPage(progress) : noSuchCasePage());
}

function progressPage({ found, partner, entries }: Progress): Page {
  const { domain, status, tier, dealPriceCents, currency } = found;
  return {
    status: 200,
    title: `${domain}: ${HEADLINES[status].title}`,
    content: (
      <article class="sheet notice stack">
        <p class="eyebrow">
          Brokerage through <bdi>{partner}</bdi>
        </p>
        <h1>{domain}</h1>
        <p>
          <strong>{HEADLINES[status].title}.</strong> {HEADLINES[status].says}
        </p>
        <dl class="facts">
          <Fact name="Service">{TIER_WORDS[tier]}</Fact>
          {dealPriceCents !== null && (
            <Fact name="Price agreed">
              {formatMoney(dealPriceCents, currency)} {currency}
            </Fact>
          )}
          <Fact name="Last change">
            <Moment at={found.updatedAt} />
          </Fact>
        </dl>
        <h2>Progress</h2>
        <ol class="steps">
          {entries.map((entry) => (
            <li class={entry.status === 'CLOSED' ? 'ended' : 'done'}>
              <strong>{STEPS[entry.status]}</strong>
              <p class="quiet small">
                <Moment at={entry.at} />
              </p>
            </li>
          ))}
          {AHEAD[status].map((step) => (
            <li class="ahead">
              {step}
              <p class="small">To come</p>
            </li>
          ))}
        </ol>
      </article>
    ),
  };
}

function noSuchCasePage(): Page {
  return notice({
    status: 404,
    tone: 'bad',
    heading: 'This progress link does not work',
    content: (
      <p>
        It is incomplete, or something in it was changed on the way. Open it once more as you
        received it, or ask for a new one.
      </p>
    ),
  });
}
