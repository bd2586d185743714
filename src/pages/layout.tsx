import type { PropsWithChildren } from 'hono/jsx';
import { ICON_PATH, STYLESHEET_PATH } from './assets.ts';

/** The frame of every page: who speaks, and that no money moves. */
export function Layout({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" type="image/svg+xml" href={ICON_PATH} />
        <link rel="stylesheet" href={STYLESHEET_PATH} />
      </head>
      <body>
        <header class="top">
          <div class="frame">
            <p class="brand">
              <Diamond />
              sandlot
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
              A page of a sandlot sandbox, for trying things out. Nothing is charged, no domain
              changes hands, no e-mail is sent.
            </p>
          </div>
        </footer>
      </body>
    </html>
  );
}

function Diamond() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        fill="currentColor"
        fill-rule="evenodd"
        d="M12 1.5 22.5 12 12 22.5 1.5 12zm0 5.7L7.2 12l4.8 4.8 4.8-4.8z"
      />
    </svg>
  );
}
