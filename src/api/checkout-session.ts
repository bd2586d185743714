import { z } from 'zod';
import { post } from '../http/endpoint.ts';
import { domainName, emailAddress, requiredText, webAddress } from '../http/fields.ts';
import { checkoutSession } from '../market/checkout/session.ts';
import { checkoutUrl, createSession } from '../market/checkout/sessions.ts';

export const postCheckoutSession = post('/api/partner/v1/checkout-session', {
  group: 'Marketplace-collected sales',
  summary: 'checkout_url with signed pt token; valid 7 days. Redirect the buyer to it.',
  scopes: ['embed'],
  rateClass: 'write',
  body: () =>
    z.object({
      domain: domainName(),
      buyer_email: emailAddress().nullish(),
      return_url: webAddress().nullish(),
      cancel_url: webAddress().nullish(),
      link_id: requiredText(100).nullish(),
    }),
  choiceInputs: ['domain', 'buyer_email', 'return_url', 'cancel_url', 'link_id'],
  choice: 'Creating a session reserves nothing.',
  errors: {
    not_found: 'The domain is not listed: it never was, or it is sold.',
  },
  status: 201,
  response: checkoutSession,
  handle({ tx, owner, body, baseUrl }) {
    const session = createSession(tx, owner, {
      domain: body.domain,
      buyerEmail: body.buyer_email ?? undefined,
      returnUrl: body.return_url ?? undefined,
      cancelUrl: body.cancel_url ?? undefined,
      linkId: body.link_id ?? undefined,
    });
    return { ...session, url: checkoutUrl(tx, session, baseUrl) };
  },
});
