import type { Context } from 'hono';
import { formatMoney } from '../../kernel/money.ts';
import type { ClosedReason } from '../../market/checkout/pay-session.ts';
import { findSaleOfSession } from '../../market/checkout/sessions.ts';
import type { Transaction } from '../../market/transactions/transactions.ts';
import { DescriptionList } from '../../ui/layout.tsx';
import { LongTimestamp } from '../../ui/text.tsx';
import { type NextLink, type Notice, noticePage, type Page } from '../layout.tsx';
import { type Offer, respondToOffer, returnUrl } from './offer.ts';

export function closedPage(reason: ClosedReason, offer: Offer): Page {
  const links = partnerLinks(offer, 'cancelled');
  return noticePage({ status: 409, links, ...CLOSED_NOTICES[reason](offer) });
}

/** By default, the status is 409, and the link leads to the cancel URL of the partner. */
type ClosedNotice = Omit<Notice, 'status'> & { status?: number };

const CLOSED_NOTICES: Record<ClosedReason, (offer: Offer) => ClosedNotice> = {
  paid: (offer) => ({
    tone: 'success',
    heading: 'This has already been paid',
    content: (
      <p>
        The payment for <strong>{offer.session.domain}</strong> went through. You were charged once,
        and this link cannot be used again.
      </p>
    ),
    links: [
      { href: `/checkout/receipt${offer.query}`, label: 'See the receipt' },
      ...partnerLinks(offer, 'paid'),
    ],
  }),
  sold: (offer) => ({
    tone: 'error',
    heading: `${offer.session.domain} is no longer for sale`,
    content: <p>It was sold to another buyer or withdrawn. You have not been charged.</p>,
  }),
  reserved: (offer) => ({
    heading: `${offer.session.domain} is reserved`,
    content: (
      <p>
        Another buyer has reserved it for a few minutes. You have not been charged. Try again later.
      </p>
    ),
  }),
  expired: (offer) => ({
    status: 410,
    heading: 'This offer has expired',
    content: (
      <p>
        The offer for <strong>{offer.session.domain}</strong> ended on{' '}
        <LongTimestamp at={offer.session.expiresAt} />. Ask <bdi>{offer.partner}</bdi> for a new
        link.
      </p>
    ),
  }),
  cancelled: (offer) => ({
    heading: 'This checkout was cancelled',
    content: (
      <p>
        You have not been charged for <strong>{offer.session.domain}</strong>. This link cannot be
        used again.
      </p>
    ),
  }),
};

/** Links back to the partner if it gave a URL. */
function partnerLinks(offer: Offer, after: 'paid' | 'cancelled'): NextLink[] {
  const href = returnUrl(offer.session, after);
  return href === undefined ? [] : [{ href, label: `Back to ${offer.partner}` }];
}

/** GET /checkout/receipt: what was paid. */
export function showReceipt(c: Context) {
  return respondToOffer(c, (tx, offer) => {
    const sale = findSaleOfSession(tx, offer.session.id);
    return sale ? receiptPage(offer, sale) : { location: `/checkout${offer.query}` };
  });
}

function receiptPage(offer: Offer, sale: Transaction): Page {
  const isRefunded = sale.status === 'REFUNDED';
  return noticePage({
    status: 200,
    tone: isRefunded ? 'neutral' : 'success',
    heading: isRefunded ? 'This payment was refunded' : 'Paid. Thank you.',
    content: (
      <>
        <p>
          {isRefunded ? 'Your money was returned for ' : 'You have bought '}
          <strong>{sale.domain}</strong> through <bdi>{offer.partner}</bdi>.
        </p>
        <DescriptionList
          items={[
            ['Domain', sale.domain],
            [
              isRefunded ? 'Amount refunded' : 'Amount paid',
              `${formatMoney(sale.salePriceCents, sale.currency)} ${sale.currency}`,
            ],
            ['Paid on', <LongTimestamp at={sale.createdAt} />],
            ['Reference', offer.session.id],
          ]}
        />
      </>
    ),
    links: partnerLinks(offer, 'paid'),
  });
}
