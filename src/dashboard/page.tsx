import { type Child, createContext, type JSX, type PropsWithChildren, useContext } from 'hono/jsx';
import { suggestedCommand } from '../client/suggested-command.ts';
import type { ControlContext } from '../control/endpoint.ts';
import { Command } from '../ui/code.tsx';
import { DEFAULT_WORLD } from '../world/files.ts';
import { type UrlQuery, urlInWorld } from '../world/urls.ts';
import type { World } from '../world/world.ts';

/** Renders a page. @param id of the item that a detail page shows; empty for other pages */
export type RenderPage = (page: PageContext, id: string) => Promise<RenderedPage>;

/** A page in the menu. */
export interface MenuEntry {
  /** Below `/_sandbox`: `/`, or one that begins with `/dashboard/`. */
  path: string;
  name: string;
  render: RenderPage;
  /** Renders the page of one item, at `path/:id`. */
  detail?: RenderPage | undefined;
}

export interface MenuGroup {
  heading?: string;
  pages: readonly MenuEntry[];
}

/** Renders a part of a page. */
type RenderSection = (page: PageContext, id: string) => Promise<Child>;

/** The pages and parts of pages that a tool adds to the dashboard. */
export interface ToolPages {
  /** Pages in the menu. */
  menu?: readonly MenuEntry[];
  /** Sections of other pages that call `toolParts`, by the route of the page: `/dashboard/orders/:id`. */
  sections?: Readonly<Record<string, RenderSection>>;
  /** Buttons at the title of other pages, likewise. */
  actions?: Readonly<Record<string, RenderSection>>;
  /** Rules of its stylesheet. */
  styles?: string;
  /** The name of the tool, if it has a script, `browser.js`. */
  script?: string;
}

/** A request for a page: what is needed to render it, and to call the control API for it. */
export interface PageContext {
  context: ControlContext;
  /** The world that `?world=` names, or else `default`. */
  world: World;
  /** Below `/_sandbox`: `/` or `/dashboard/orders`. */
  path: string;
  /** Query parameters, without the world. */
  query: Record<string, string>;
  menu: readonly MenuGroup[];
  /** Renders what tools add to this page: sections, or buttons at its title. */
  toolParts(kind: 'sections' | 'actions'): Promise<Child[]>;
}

export interface RenderedPage {
  title: string;
  content: Child;
  status?: number;
  /** The URL to which the browser goes instead. */
  redirect?: string | undefined;
}

const CurrentPage = createContext<PageContext | undefined>(undefined);

export const PageProvider = CurrentPage.Provider;

export function usePage(): PageContext {
  const page = useContext(CurrentPage);
  if (!page) throw new Error('rendered outside a page');
  return page;
}

/** Builds the URL of a page or control API route in the world of a page. */
export function urlFor({ world }: PageContext, path: string, query: UrlQuery = {}): string {
  return urlInWorld(world.name, path, query);
}

type LinkProps = JSX.IntrinsicElements['a'] & {
  /** Below `/_sandbox`. */
  to: string;
  query?: UrlQuery;
};

/** Renders a link to a page, or a control API route, in the world of this page. */
export function Link({ to, query, children, ...attributes }: PropsWithChildren<LinkProps>) {
  return (
    <a href={urlFor(usePage(), to, query)} {...attributes}>
      {children}
    </a>
  );
}

/** Renders a link to the list that a page belongs to. */
export function Crumbs({ to, children }: PropsWithChildren<{ to: string }>) {
  return (
    <p class="crumbs">
      <Link to={to}>{children}</Link>
    </p>
  );
}

/** Renders the field that keeps a GET form in the world of this page. */
export function WorldField() {
  const { name } = usePage().world;
  return name === DEFAULT_WORLD ? null : <input type="hidden" name="world" value={name} />;
}

/** Addresses for which `--url` is left out: the default port, and a sandbox in process, which no command reaches. */
const DEFAULT_ADDRESSES = ['http://127.0.0.1:4010', 'http://localhost'];

/** Renders a command of `sandlot`, with the options that reach this world or all. In another world, a request names its key. */
export function CliCommand({ text, allWorlds = false }: { text: string; allWorlds?: boolean }) {
  const { context, world } = usePage();
  const address = context.server.address();
  const url = DEFAULT_ADDRESSES.includes(address) ? undefined : address;
  const worldName = allWorlds || world.name === DEFAULT_WORLD ? undefined : world.name;
  const key = worldName !== undefined && text.startsWith('request ') ? ' --as dmk_…' : '';
  return <Command text={`npx ${suggestedCommand(text + key, { url, world: worldName })}`} />;
}

export function EmptyState({
  title,
  children,
  commands = [],
}: PropsWithChildren<{ title: string; commands?: readonly string[] }>) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children && <p class="quiet">{children}</p>}
      {commands.map((text) => (
        <CliCommand text={text} />
      ))}
    </div>
  );
}
