import type { CheckoutSession } from '../../market/checkout/sessions.ts';

type Addresses = Pick<CheckoutSession, 'id' | 'returnUrl' | 'cancelUrl'>;

/** Where a partner wants its buyer back, with `session_id` appended; undefined where it said nothing usable. */
export function wayBack(session: Addresses, after: 'paid' | 'cancelled'): string | undefined {
  const url = webUrl(after === 'paid' ? session.returnUrl : session.cancelUrl);
  if (!url) return undefined;
  // Appended as text: `searchParams` would spell the partner's own query anew.
  url.search += `${url.search === '' ? '?' : '&'}session_id=${session.id}`;
  return url.href;
}

/**
 * The `form-action` sources that let the form's answer lead back. Chromium holds every redirect after a
 * submit against them, also those that the partner's own pages add (http to https, apex to www, a login),
 * which cannot be known here. So whole schemes are named, and only where there is a way back; `http:` stands
 * for `https:` as well.
 */
export function formTargets(session: Addresses): string[] {
  const urls = [webUrl(session.returnUrl), webUrl(session.cancelUrl)];
  return [...new Set(urls.flatMap((url) => (url ? [url.protocol] : [])))];
}

/** The row is not trusted: whatever wrote it, nobody is sent anywhere but to the web. */
function webUrl(text: string | null): URL | undefined {
  const url = text === null ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
