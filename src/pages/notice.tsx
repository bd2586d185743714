import type { Child } from 'hono/jsx';
import type { Page } from './reply.tsx';

export interface Way {
  href: string;
  label: string;
}

export interface Notice {
  status: Page['status'];
  /** Says it all in one line. */
  heading: string;
  tone?: 'good' | 'bad' | 'calm';
  content: Child;
  /** Where one can go from here, the likeliest first. */
  ways?: readonly Way[];
}

/** A page that says one thing. */
export function notice({ status, heading, tone = 'calm', content, ways = [] }: Notice): Page {
  return {
    status,
    title: heading,
    content: (
      <article class="sheet notice stack">
        <Sign tone={tone} />
        <h1>{heading}</h1>
        {content}
        {ways.length > 0 && (
          <p class="row">
            {ways.map(({ href, label }, nth) => (
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
  good: 'M5 12.5l4.5 4.5L19 7.5',
  bad: 'M12 6v7m0 4.2v.1',
  calm: 'M12 11v6m0-10.2v.1',
};

function Sign({ tone }: { tone: keyof typeof SIGNS }) {
  return (
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
  );
}
