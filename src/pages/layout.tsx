import type { Context } from 'hono';
import type { Child, PropsWithChildren } from 'hono/jsx';
import type { ErrorHandling } from '../http/response.ts';
import type { Tone } from '../kernel/columns.ts';
import { CodedError } from '../kernel/errors.ts';
import { publicAssets } from '../ui/assets.ts';
import { Brand, Document, htmlResponse } from '../ui/document.tsx';

export interface Page {
  status: number;
  title: string;
  content: Child;
}

/** A redirect to a GET request, in place of a page. */
export interface Redirect {
  location: string;
  /** 303 by default, as after a form. */
  status?: 302 | 303;
}

export function pageResponse(c: Context, result: Page | Redirect): Response | Promise<Response> {
  if ('location' in result) {
    c.header('Cache-Control', 'no-store');
    // The URL of a page may hold a secret.
    c.header('Referrer-Policy', 'no-referrer');
    c.header('X-Content-Type-Options', 'nosniff');
    return c.redirect(result.location, result.status ?? 303);
  }
  const { status, title, content } = result;
  return htmlResponse(<Layout title={title}>{content}</Layout>, {
    status,
    // Chromium also checks the redirects after a form, which lead to any site of a partner.
    policy: "style-src 'self'; img-src 'self'; form-action 'self' http: https:",
  });
}

function Layout({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <Document title={title} stylesheet={`${publicAssets().folder}pages.css`}>
      <body>
        <header class="top">
          <div class="frame">
            <p>
              <Brand />
            </p>
            <p class="mark">Sandbox: no real money</p>
          </div>
        </header>
        <main>
          <div class="frame">{children}</div>
        </main>
        <footer class="foot">
          <div class="frame">
            <p>
              This is a test page of a sandlot sandbox. It charges nothing, transfers no domain, and
              sends no email.
            </p>
          </div>
        </footer>
      </body>
    </Document>
  );
}

export interface NextLink {
  href: string;
  label: string;
}

/** A page that says one thing: a sign, a heading, a paragraph and where to go next. */
export interface Notice {
  status: number;
  heading: string;
  tone?: keyof typeof SIGN_PATHS;
  content: Child;
  /** The likeliest first. */
  links?: readonly NextLink[];
}

export function noticePage(notice: Notice): Page {
  const { status, heading, tone = 'neutral', content, links = [] } = notice;
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
              d={SIGN_PATHS[tone]}
            />
          </svg>
        </div>
        <h1>{heading}</h1>
        {content}
        {links.length > 0 && (
          <p class="row">
            {links.map(({ href, label }, index) => (
              <a class={index === 0 ? 'button' : 'button plain'} href={href}>
                <bdi>{label}</bdi>
              </a>
            ))}
          </p>
        )}
      </article>
    ),
  };
}

/** Paths of the icons: a check mark, an exclamation mark, an i. */
const SIGN_PATHS = {
  success: 'M5 12.5l4.5 4.5L19 7.5',
  error: 'M12 6v7m0 4.2v.1',
  neutral: 'M12 11v6m0-10.2v.1',
} satisfies Partial<Record<Tone, string>>;

/** Makes the page of a link that is incomplete, changed, or was never issued. */
export function brokenLinkPage(heading: string, status: 400 | 404): Page {
  return noticePage({
    status,
    tone: 'error',
    heading,
    content: (
      <p>The link is incomplete or was changed. Open the original link, or ask for a new one.</p>
    ),
  });
}

export function failurePage(error: unknown, { report }: ErrorHandling): Page {
  const rejection = error instanceof CodedError ? error : undefined;
  if (!rejection) report(error);
  return noticePage({
    status: rejection?.status ?? 500,
    tone: 'error',
    heading: rejection ? 'Request rejected' : 'Something went wrong',
    content: (
      <p>
        {rejection?.message ??
          'The error is in the sandbox. See its log for details. Your request changed nothing.'}
      </p>
    ),
  });
}
