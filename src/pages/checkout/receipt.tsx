import type { Context } from 'hono';
import { formatMoney } from '../../kernel/money.ts';
import { saleOfSession } from '../../market/checkout/sessions.ts';
import type { Transaction } from '../../market/transactions/transactions.ts';
import type { Worlds } from '../../world/worlds.ts';
import { Fact } from '../fact.tsx';
import { notice } from '../notice.tsx';
import { type Detour, type Page, reply } from '../reply.tsx';
import { Moment } from '../time-in-words.tsx';
import { forgedPage, waysBack } from './closed-pages.tsx';
import { type Offer, withOffer } from './offer.ts';

/** GET /checkout/receipt: what was paid; the same however often it is read. */
export async function showReceipt(c: Context, worlds: Worlds) {
  const answer = await withOffer(c, worlds, (tx, offer): Page | Detour => {
    const sale = saleOfSession(tx, offer.session);
    return sale ? receiptPage(offer, sale) : { goTo: `/checkout${offer.query}` };
  });
  return reply(c, answer ?? forgedPage());
}

function receiptPage(offer: Offer, sale: Transaction): Page {
  const refunded = sale.status === 'REFUNDED';
  return notice({
    status: 200,
    tone: refunded ? 'calm' : 'good',
    heading: refunded ? 'This payment was refunded' : 'Paid. Thank you.',
    content: (
      <>
        <p>
          {refunded ? 'You have your money back for ' : 'You have bought '}
          <strong>{sale.domain}</strong> through <bdi>{offer.partner}</bdi>.
        </p>
        <dl class="facts">
          <Fact name="Domain">{sale.domain}</Fact>
          <Fact name={refunded ? 'Amount refunded' : 'Amount paid'}>
            {formatMoney(sale.salePriceCents, sale.currency)} {sale.currency}
          </Fact>
          <Fact name="Paid on">
            <Moment at={sale.createdAt} />
          </Fact>
          <Fact name="Paid by">{hinted(sale.buyerEmail ?? '')}</Fact>
          <Fact name="Reference">{offer.session.id}</Fact>
        </dl>
      </>
    ),
    ways: waysBack(offer, 'paid'),
  });
}

/** Enough to know one's own address by, and to tell a stranger who holds the link nothing. */
function hinted(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}•••${email.slice(at)}`;
}
