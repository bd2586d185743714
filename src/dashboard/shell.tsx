import type { PropsWithChildren } from 'hono/jsx';
import { Brand, Document } from '../ui/document.tsx';
import { DescriptionList } from '../ui/layout.tsx';
import { clock } from '../world/resources.ts';
import type { AssetPaths } from './assets.ts';
import { Clock } from './components.tsx';
import { Link, type PageContext, urlFor, usePage, WorldField } from './page.tsx';

/** Renders what all pages have. Scripts of `ui/browser` find parts of it by their ids. */
export function Shell({
  title,
  assets,
  children,
}: PropsWithChildren<{ title: string; assets: AssetPaths }>) {
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

/** Whether a menu entry is of this page, or of the list that the item of this page is in. */
function isCurrent({ path }: PageContext, entryPath: string): boolean {
  return path === entryPath || (entryPath !== '/' && path.startsWith(`${entryPath}/`));
}

function FindBox() {
  const { path, query } = usePage();
  return (
    <search class="find" aria-label="Find">
      <form action="/_sandbox/dashboard/find">
        <WorldField />
        <label class="visually-hidden" for="find">
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
  return (
    <section class="top" id="top" aria-label="World and time">
      <Link class="button plain world" to="/dashboard/worlds">
        <span class="quiet">World</span> <bdi class="name">{page.world.name}</bdi>
      </Link>
      <FindBox />
      <Link class="now" to="/dashboard/clock">
        <span class="quiet">Sandbox time</span> <Clock clock={clock.view(page.world.clock)} />
      </Link>
      <div class="tools" data-keep>
        <span class="live scripted" id="live">
          Connecting
        </span>
        <button type="button" class="plain round scripted" command="show-modal" commandfor="help">
          <span aria-hidden="true">?</span>
          <span class="visually-hidden">Keyboard shortcuts</span>
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
          <DescriptionList
            items={[
              [<kbd>?</kbd>, 'Show shortcuts'],
              [<kbd>/</kbd>, 'Find'],
            ]}
          />
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
