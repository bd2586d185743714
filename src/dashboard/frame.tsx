import type { PropsWithChildren } from 'hono/jsx';
import { NOUNS, type Noun } from '../control/revisions.ts';
import { DocumentHead } from '../pages/document-head.tsx';
import { clock } from '../world/resources.ts';
import { assetPaths } from './assets.ts';
import { Dialogs } from './dialogs.tsx';
import { NAVIGATION } from './navigation.ts';
import { Clock } from './parts/when.tsx';
import { inWorld, type Place, to } from './place.ts';

/** The frame of every page that is about a world. */
export function Frame({
  at,
  title,
  live,
  children,
}: PropsWithChildren<{ at: Place; title: string; live: readonly Noun[] }>) {
  const watched = NOUNS.filter((noun) => noun === 'clock' || noun === 'worlds');
  const nouns = [...new Set([...watched, ...live])].join(' ');
  return (
    <Document title={`${title} · ${at.world.name} · sandlot`} script>
      <body data-stream={to(at, '/stream')} data-live={nouns}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <div class="shell">
          <Sidebar at={at} />
          <Top at={at} />
          <main id="main" tabindex={-1}>
            {children}
          </main>
        </div>
        <div id="told" class="told" role="status" aria-live="polite" />
        <p id="news" class="unseen" role="status" aria-live="polite" />
        <noscript>
          <p class="banner">
            Without JavaScript the pages can be read, but nothing here moves or can be changed.
          </p>
        </noscript>
        <Dialogs at={at} />
      </body>
    </Document>
  );
}

/** The frame of a page that leads nowhere else. */
export function BareFrame({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <Document title={`${title} · sandlot`}>
      <body>
        <main id="main" class="bare-page">
          <Brand />
          {children}
        </main>
      </body>
    </Document>
  );
}

function Document({
  title,
  script = false,
  children,
}: PropsWithChildren<{ title: string; script?: boolean }>) {
  const assets = assetPaths();
  return (
    <html lang="en">
      <DocumentHead title={title} stylesheet={assets.stylesheet}>
        {script && <script type="module" src={assets.script} />}
      </DocumentHead>
      {children}
    </html>
  );
}

function Brand() {
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

function Sidebar({ at }: { at: Place }) {
  return (
    <header class="side">
      <div class="stay">
        <a class="home" href={to(at, '/')}>
          <Brand />
        </a>
        <nav aria-label="Pages">
          {NAVIGATION.map(({ heading, pages }) => (
            <div class="group">
              {heading && <p class="heading">{heading}</p>}
              <ul>
                {pages.map(({ path, name, key }) => (
                  <li>
                    <a
                      href={to(at, path)}
                      data-goto={key}
                      aria-current={isHere(at, path) ? 'page' : undefined}
                    >
                      {name}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        {at.signedIn && (
          <form class="leave" method="post" action="/_sandbox/dashboard/session">
            <button type="submit" name="leave" value="yes" class="plain small">
              Forget the token
            </button>
          </form>
        )}
      </div>
    </header>
  );
}

/** A page of one thing belongs to the page that lists them. */
function isHere({ path }: Place, other: string): boolean {
  return path === other || (other !== '/' && path.startsWith(`${other}/`));
}

function Top({ at }: { at: Place }) {
  const worlds = at.context.worlds.list();
  // An id of one world is none of another.
  const page = at.path.split('/').slice(0, 3).join('/');
  return (
    <section class="top" id="top" aria-label="World and time">
      <details class="menu">
        <summary>
          <span class="quiet">World</span> <bdi class="name">{at.world.name}</bdi>
        </summary>
        <ul>
          {worlds.map(({ name }) => (
            <li>
              <a
                href={inWorld(name, page)}
                aria-current={name === at.world.name ? 'true' : undefined}
              >
                <bdi>{name}</bdi>
              </a>
            </li>
          ))}
          <li class="last">
            <a href={to(at, '/dashboard/worlds')}>Manage worlds…</a>
          </li>
        </ul>
      </details>
      <a class="now" href={to(at, '/dashboard/clock')}>
        <span class="unseen">Sandbox time</span>
        <Clock reading={clock.view(at.world.clock)} />
      </a>
      <div class="tools" data-keep>
        <button type="button" class="live scripted" id="live" aria-pressed="true">
          <span class="dot" aria-hidden="true" />
          <span class="word">Live</span>
        </button>
        <button type="button" class="round scripted" data-dialog="help">
          <span aria-hidden="true">?</span>
          <span class="unseen">Keyboard shortcuts</span>
        </button>
      </div>
    </section>
  );
}
