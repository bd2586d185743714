import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Layout } from './layout.tsx';

export interface Page {
  status: ContentfulStatusCode;
  title: string;
  content: Child;
  /** Where else than here a form of the page may lead (sources of a Content-Security-Policy). */
  formTargets?: readonly string[];
}

/** Instead of a page: where the browser goes on to, with GET. */
export interface Detour {
  goTo: string;
  /** 303 when left out: what follows a form. */
  status?: 302 | 303;
}

/**
 * Answers with a page, or sends the browser on. The address of a page is a secret of a kind, so the page is
 * kept nowhere and its address named to no other site. (With `no-referrer`, browsers send forms as `Origin: null`.)
 */
export function reply(c: Context, answer: Page | Detour) {
  c.header('Cache-Control', 'no-store');
  c.header('Referrer-Policy', 'goTo' in answer ? 'no-referrer' : 'same-origin');
  c.header('X-Content-Type-Options', 'nosniff');
  if ('goTo' in answer) return c.redirect(answer.goTo, answer.status ?? 303);
  const { status, title, content, formTargets = [] } = answer;
  c.header('Content-Security-Policy', policy(formTargets));
  const page = <Layout title={title}>{content}</Layout>;
  return c.html(html`<!DOCTYPE html>${page}`, status);
}

/** Nothing but the own stylesheet, icon and forms; no script at all. */
function policy(formTargets: readonly string[]): string {
  const forms = ["'self'", ...formTargets].join(' ');
  return `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`;
}
