import type { ClosedReason } from '../../market/checkout/pay-session.ts';
import { LongTimestamp } from '../../ui/text.tsx';
import type { Page } from '../layout.tsx';
import { type Link, type Notice, notice } from '../notice.tsx';
import { type Offer, returnUrl } from './offer.ts';

export function closedPage(reason: ClosedReason, offer: Offer): Page {
  return notice(CLOSED[reason](offer));
}

export function cancelledPage(offer: Offer): Page {
  return notice({ ...CLOSED.cancelled(offer), status: 200 });
}

const CLOSED: Record<ClosedReason, (offer: Offer) => Notice> = {
  paid: (offer) => ({
    status: 409,
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
    status: 409,
    tone: 'error',
    heading: `${offer.session.domain} has been sold`,
    content: <p>Another buyer was faster. You have not been charged.</p>,
    links: partnerLinks(offer, 'cancelled'),
  }),
  reserved: (offer) => ({
    status: 409,
    heading: `${offer.session.domain} is reserved`,
    content: (
      <p>
        Another buyer has reserved it for a few minutes. You have not been charged. Try again later.
      </p>
    ),
    links: partnerLinks(offer, 'cancelled'),
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
    links: partnerLinks(offer, 'cancelled'),
  }),
  cancelled: (offer) => ({
    status: 409,
    heading: 'This checkout was cancelled',
    content: (
      <p>
        You have not been charged for <strong>{offer.session.domain}</strong>. This link cannot be
        used again.
      </p>
    ),
    links: partnerLinks(offer, 'cancelled'),
  }),
};

/** Links back to the partner if it gave a URL. */
export function partnerLinks(offer: Offer, after: 'paid' | 'cancelled'): Link[] {
  const href = returnUrl(offer.session, after);
  return href === undefined ? [] : [{ href, label: `Back to ${offer.partner}` }];
}
