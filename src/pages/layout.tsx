import type { Context, Hono } from 'hono';
import type { Child, PropsWithChildren } from 'hono/jsx';
import { lazily } from '../kernel/lazily.ts';
import { assetResponse, fingerprint, ICON_PATH, iconResponse, stylesheet } from '../ui/assets.ts';
import { Brand, Document, htmlResponse } from '../ui/document.tsx';

export interface Page {
  status: number;
  title: string;
  content: Child;
  /** Origins other than this one that a form of the page may lead to (Content Security Policy). */
  formTargets?: readonly string[];
}

/** A redirect to a GET request, in place of a page. */
export interface Redirect {
  location: string;
  /** 303 by default, as after a form. */
  status?: 302 | 303;
}

export function respond(
  c: Context,
  result: Page | Redirect,
  headers: Record<string, string> = {},
): Response | Promise<Response> {
  if ('location' in result) {
    c.header('Cache-Control', 'no-store');
    // The URL of a page may hold a secret.
    c.header('Referrer-Policy', 'no-referrer');
    c.header('X-Content-Type-Options', 'nosniff');
    return c.redirect(result.location, result.status ?? 303);
  }
  const { status, title, content, formTargets = [] } = result;
  return htmlResponse(<Layout title={title}>{content}</Layout>, {
    status,
    policy: { 'form-action': ["'self'", ...formTargets].join(' ') },
    headers,
  });
}

const assets = lazily(() => {
  const css = stylesheet('colors', 'base', 'controls', 'pages');
  return { css, path: `/assets/sandlot-${fingerprint([css])}.css` };
});

export function serveAssets(app: Hono): void {
  app.get(ICON_PATH, iconResponse);
  app.get('/assets/:name', (c, next) => {
    const { css, path } = assets();
    return c.req.path === path ? Promise.resolve(assetResponse(css)) : next();
  });
}

function Layout({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <Document title={title} stylesheet={assets().path}>
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
