import type { PropsWithChildren } from 'hono/jsx';
import { STYLESHEET_PATH } from './assets.ts';
import { DocumentHead } from './document-head.tsx';

/** The frame of every page: who speaks, and that no money moves. */
export function Layout({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <html lang="en">
      <DocumentHead title={title} stylesheet={STYLESHEET_PATH} />
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
