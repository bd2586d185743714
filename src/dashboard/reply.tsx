import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Noun } from '../control/revisions.ts';
import { BareFrame, Frame } from './frame.tsx';
import type { Place } from './place.ts';

/** A page of the dashboard. */
export interface View {
  title: string;
  content: Child;
  /** A change of these makes the browser fetch it anew. */
  live?: readonly Noun[];
  status?: ContentfulStatusCode;
}

/** Nothing but the own stylesheet, script, images, calls and forms. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Answers with a page in its frame. */
export function show(c: Context, place: Place, view: View) {
  return answer(
    c,
    <Frame at={place} title={view.title} live={view.live ?? []}>
      {view.content}
    </Frame>,
    view.status,
  );
}

/** Answers with a page that leads nowhere else: there is no world to be in, or nobody who may look. */
export function showBare(c: Context, { title, content, status }: View) {
  return answer(c, <BareFrame title={title}>{content}</BareFrame>, status);
}

function answer(c: Context, page: Child, status: ContentfulStatusCode = 200) {
  c.header('Cache-Control', 'no-store');
  c.header('Referrer-Policy', 'same-origin');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('X-Frame-Options', 'DENY');
  c.header('Cross-Origin-Opener-Policy', 'same-origin');
  c.header('Cross-Origin-Resource-Policy', 'same-origin');
  c.header('Content-Security-Policy', POLICY);
  return c.html(html`<!DOCTYPE html>${page}`, status);
}
