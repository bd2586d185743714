import type { PropsWithChildren } from 'hono/jsx';
import { callControl } from '../control/call-control.ts';
import { faultEndpoints } from '../control/faults.ts';
import { countOf } from '../kernel/count.ts';
import { MAX_PAGE } from '../store/paging.ts';
import { Brand, Document } from '../ui/document.tsx';
import { clock } from '../world/resources.ts';
import { urlInWorld } from '../world/urls.ts';
import type { AssetPaths } from './assets.ts';
import { Clock } from './components.tsx';
import { Link, type PageContext, urlFor, usePage, WorldField } from './page.tsx';

export function Shell({
  title,
  assets,
  children,
}: PropsWithChildren<{
  title: string;
  assets: AssetPaths;
}>) {
  const page = usePage();
  return (
    <Document title={`${title} · ${page.world.name} · sandlot`} {...assets}>
      <body data-stream={urlFor(page, '/stream')}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <div class="shell">
          <Sidebar />
          <TopBar />
          <main id="main" tabindex={-1}>
            {children}
          </main>
        </div>
        <div id="toast" class="toast" role="status" aria-live="polite" />
        <noscript>
          <p class="banner">
            Without JavaScript, pages do not update by themselves and nothing can be changed.
          </p>
        </noscript>
        <Dialogs />
      </body>
    </Document>
  );
}

/** Renders a page on its own: the sign-in form, an error. */
export function SinglePage({
  title,
  stylesheet,
  children,
}: PropsWithChildren<{ title: string; stylesheet: string }>) {
  return (
    <Document title={`${title} · sandlot`} stylesheet={stylesheet}>
      <body>
        <main id="main" class="single-page">
          <Brand />
          {children}
        </main>
      </body>
    </Document>
  );
}

function Sidebar() {
  const page = usePage();
  return (
    <header class="side">
      <div class="sticky">
        <Link class="home" to="/">
          <Brand />
        </Link>
        <nav aria-label="Pages">
          {page.menu.map(({ heading, pages }) => (
            <div class="group">
              {heading && <p class="heading">{heading}</p>}
              <ul>
                {pages.map(({ path, name }) => (
                  <li>
                    <Link to={path} aria-current={isCurrent(page, path) ? 'page' : undefined}>
                      {name}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
      </div>
    </header>
  );
}

/** A page of one item belongs to the page of its list. */
function isCurrent({ path }: PageContext, entryPath: string): boolean {
  return path === entryPath || (entryPath !== '/' && path.startsWith(`${entryPath}/`));
}

async function ActiveFaults() {
  const query = { limit: String(MAX_PAGE) };
  const { faults } = await callControl(faultEndpoints.getFaults, usePage(), { query });
  const active = faults.filter(({ times, hits }) => times === null || hits < times);
  if (active.length === 0) return null;
  return (
    <Link class="alert" to="/dashboard/faults">
      {countOf(active.length, 'active fault')}
    </Link>
  );
}

function FindBox() {
  const { path, query } = usePage();
  return (
    <search class="find" aria-label="Find">
      <form action="/_sandbox/dashboard/find">
        <WorldField />
        <label class="unseen" for="find">
          Find
        </label>
        <input
          type="search"
          id="find"
          name="q"
          value={path === '/dashboard/find' ? query.q : undefined}
          placeholder="Find an ID, a domain or text  /"
          maxlength={500}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
        />
      </form>
    </search>
  );
}

function TopBar() {
  const page = usePage();
  const worlds = page.context.worlds.list();
  // Another world does not have the item of a detail page.
  const list = page.path.split('/').slice(0, 3).join('/');
  return (
    <section class="top" id="top" aria-label="World and time">
      <div class="menu">
        <button type="button" class="plain" popovertarget="worlds">
          <span class="quiet">World</span> <bdi class="name">{page.world.name}</bdi>
        </button>
        <ul id="worlds" popover="auto">
          {worlds.map(({ name }) => (
            <li>
              <a
                href={urlInWorld(name, list)}
                aria-current={name === page.world.name ? 'true' : undefined}
              >
                <bdi>{name}</bdi>
              </a>
            </li>
          ))}
          <li class="last">
            <Link to="/dashboard/worlds">Manage worlds…</Link>
          </li>
        </ul>
      </div>
      <FindBox />
      <Link class="now" to="/dashboard/clock">
        <span class="unseen">Sandbox time</span>
        <Clock clock={clock.view(page.world.clock)} />
      </Link>
      <ActiveFaults />
      <div class="tools" data-keep>
        <button type="button" class="live scripted" id="live" aria-pressed="true">
          <span class="dot" aria-hidden="true" />
          <span class="word">Live</span>
        </button>
        <button type="button" class="round scripted" command="show-modal" commandfor="help">
          <span aria-hidden="true">?</span>
          <span class="unseen">Keyboard shortcuts</span>
        </button>
      </div>
    </section>
  );
}

/** Renders the dialogs that buttons and the script open: shortcuts and confirmation. */
function Dialogs() {
  return (
    <>
      <dialog id="help" aria-labelledby="help-title">
        <form method="dialog">
          <h2 id="help-title">Keyboard shortcuts</h2>
          <dl class="shortcuts">
            <dt>
              <kbd>?</kbd>
            </dt>
            <dd>Show shortcuts</dd>
            <dt>
              <kbd>/</kbd>
            </dt>
            <dd>Find</dd>
          </dl>
          <label class="check">
            <input type="checkbox" id="shortcuts" checked /> Enable shortcuts
          </label>
          <p class="row end">
            <button type="submit">Close</button>
          </p>
        </form>
      </dialog>
      <dialog id="confirm" aria-labelledby="confirm-question">
        <form method="dialog">
          <p id="confirm-question" class="question" />
          <p class="row end">
            <button type="submit" value="no" class="plain">
              Cancel
            </button>
            <button type="submit" value="yes" class="danger">
              Yes
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}
