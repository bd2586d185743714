import { html } from 'hono/html';
import type { Child, PropsWithChildren } from 'hono/jsx';
import { publicAssets } from './assets.ts';

interface DocumentProps {
  title: string;
  stylesheet: string;
  /** Path of the script: a module. */
  script?: string | undefined;
}

export function Document({
  title,
  stylesheet,
  script,
  children,
}: PropsWithChildren<DocumentProps>) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" type="image/svg+xml" href={`${publicAssets().folder}icon.svg`} />
        <link rel="stylesheet" href={stylesheet} />
        {script !== undefined && <script type="module" src={script} />}
      </head>
      {children}
    </html>
  );
}

export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <path
          fill="currentColor"
          fill-rule="evenodd"
          d="M12 1.5 22.5 12 12 22.5 1.5 12zm0 5.7L7.2 12l4.8 4.8 4.8-4.8z"
        />
      </svg>
      sandlot
    </span>
  );
}

interface HtmlOptions {
  status?: number | undefined;
  /** Directives of the Content Security Policy: what the page may load and call, and where its forms lead. */
  policy: string;
  /** Additional headers; they override those below. */
  headers?: Record<string, string>;
}

/**
 * Responds with a page. It is not cached, loads and calls only what `policy` allows, and cannot be framed. Its URL may
 * hold a secret, so no other site gets it.
 */
export async function htmlResponse(
  page: Child,
  { status = 200, policy, headers = {} }: HtmlOptions,
): Promise<Response> {
  const text = await html`<!DOCTYPE html>${page}`;
  return new Response(text.toString(), {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; ${policy}; base-uri 'none'; frame-ancestors 'none'`,
      // With `no-referrer`, browsers send forms as `Origin: null`.
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      ...headers,
    },
  });
}
