import type { Context } from 'hono';
import { formatMoney } from '../../kernel/money.ts';
import { saleOfSession } from '../../market/checkout/sessions.ts';
import type { Transaction } from '../../market/transactions/transactions.ts';
import { DescriptionList } from '../../ui/layout.tsx';
import { LongTimestamp } from '../../ui/text.tsx';
import type { Worlds } from '../../world/worlds.ts';
import { type Page, type Redirect, respond } from '../layout.tsx';
import { notice } from '../notice.tsx';
import { brokenCheckoutPage } from './checkout.ts';
import { partnerLinks } from './closed-pages.tsx';
import { type Offer, withOffer } from './offer.ts';

/** GET /checkout/receipt: what was paid. */
export async function showReceipt(c: Context, worlds: Worlds) {
  const result = await withOffer(c, worlds, (tx, offer): Page | Redirect => {
    const sale = saleOfSession(tx, offer.session);
    return sale ? receiptPage(offer, sale) : { location: `/checkout${offer.query}` };
  });
  return respond(c, result ?? brokenCheckoutPage());
}

function receiptPage(offer: Offer, sale: Transaction): Page {
  const refunded = sale.status === 'REFUNDED';
  return notice({
    status: 200,
    tone: refunded ? 'neutral' : 'success',
    heading: refunded ? 'This payment was refunded' : 'Paid. Thank you.',
    content: (
      <>
        <p>
          {refunded ? 'Your money was returned for ' : 'You have bought '}
          <strong>{sale.domain}</strong> through <bdi>{offer.partner}</bdi>.
        </p>
        <DescriptionList
          items={[
            ['Domain', sale.domain],
            [
              refunded ? 'Amount refunded' : 'Amount paid',
              `${formatMoney(sale.salePriceCents, sale.currency)} ${sale.currency}`,
            ],
            ['Paid on', <LongTimestamp at={sale.createdAt} />],
            ['Paid by', maskEmail(sale.buyerEmail ?? '')],
            ['Reference', offer.session.id],
          ]}
        />
      </>
    ),
    links: partnerLinks(offer, 'paid'),
  });
}

/** Masks an email address: buyers recognize their own, and others who have the link learn nothing. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}•••${email.slice(at)}`;
}
