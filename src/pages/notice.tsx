import type { Child } from 'hono/jsx';
import type { ErrorHandling } from '../http/response.ts';
import type { Tone } from '../kernel/columns.ts';
import { CodedError } from '../kernel/errors.ts';
import type { Page } from './layout.tsx';

export interface Link {
  href: string;
  label: string;
}

export interface Notice {
  status: number;
  heading: string;
  tone?: keyof typeof SIGNS;
  content: Child;
  /** Where to go next, the likeliest first. */
  links?: readonly Link[];
}

export function notice({ status, heading, tone = 'neutral', content, links = [] }: Notice): Page {
  return {
    status,
    title: heading,
    content: (
      <article class="sheet notice stack">
        <div class={`sign ${tone}`}>
          <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path
              fill="none"
              stroke="currentColor"
              stroke-width="2.4"
              stroke-linecap="round"
              stroke-linejoin="round"
              d={SIGNS[tone]}
            />
          </svg>
        </div>
        <h1>{heading}</h1>
        {content}
        {links.length > 0 && (
          <p class="row">
            {links.map(({ href, label }, nth) => (
              <a class={nth === 0 ? 'button' : 'button plain'} href={href}>
                <bdi>{label}</bdi>
              </a>
            ))}
          </p>
        )}
      </article>
    ),
  };
}

const SIGNS = {
  success: 'M5 12.5l4.5 4.5L19 7.5',
  error: 'M12 6v7m0 4.2v.1',
  neutral: 'M12 11v6m0-10.2v.1',
} satisfies Partial<Record<Tone, string>>;

/** Makes the page of a link that is incomplete, changed, or was never issued. */
export function brokenLinkPage(heading: string, status: 400 | 404): Page {
  return notice({
    status,
    tone: 'error',
    heading,
    content: (
      <p>The link is incomplete or was changed. Open the original link, or ask for a new one.</p>
    ),
  });
}

export function failurePage(error: unknown, { report }: ErrorHandling): Page {
  if (error instanceof CodedError) {
    return notice({
      status: error.status,
      tone: 'error',
      heading: 'Request rejected',
      content: <p>{error.message}</p>,
    });
  }
  report(error);
  return notice({
    status: 500,
    tone: 'error',
    heading: 'Something went wrong',
    content: (
      <p>The error is in the sandbox. See its log for details. You have not been charged.</p>
    ),
  });
}
