import { notice } from '../notice.tsx';
import type { Page } from '../reply.tsx';
import type { Shop } from './shop.tsx';

/** What a buyer sees who comes too late. */
export function notForSalePage({ link, partner, path }: Shop, domain: string | undefined): Page {
  const more = { href: path, label: `See what else ${partner} offers` };
  return notice({
    status: 409,
    tone: 'bad',
    heading: `${domain ?? 'This domain'} is not for sale any more`,
    content: (
      <p>Another buyer was faster, or the offer was taken back. You have not paid anything.</p>
    ),
    ways: link.domain === null ? [more] : [],
  });
}
