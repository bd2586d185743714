import type { Child } from 'hono/jsx';
import { Document } from '../ui/document.tsx';
import type { Group } from './document.ts';
import { LANGUAGES } from './languages.ts';

export interface Entry {
  id: string;
  label: string;
  entries?: readonly Entry[];
}

export function groupEntries(groups: readonly Group[]): Entry[] {
  return groups.map(({ id, name, operations }) => ({
    id,
    label: name,
    entries: operations.map(({ method, path, operation }) => ({
      id: operation.operationId,
      label: `${method} ${path.replace(/^\/api\/partner(?:\/v1)?/, '')}`,
    })),
  }));
}

interface FrameProps {
  title: string;
  version: string;
  api: 'partner' | 'control';
  assets: { stylesheet: string; script: string };
  contents: readonly Entry[];
  /** Whether the examples come in several languages. */
  languages: boolean;
  children: Child;
}

const APIS = [
  { api: 'partner', label: 'Partner API', href: '/_sandbox/reference' },
  { api: 'control', label: 'Control API', href: '/_sandbox/reference?api=control' },
] as const;

export function Frame(props: FrameProps) {
  const { title, version, api, assets, contents, languages, children } = props;
  return (
    <Document title={`${title} · sandlot`} {...assets}>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header class="top">
          <p class="brand">
            sandlot <span class="quiet">{version}</span>
          </p>
          <nav aria-label="APIs">
            <ul>
              {APIS.map((entry) => (
                <li>
                  <a href={entry.href} aria-current={entry.api === api ? 'page' : undefined}>
                    {entry.label}
                  </a>
                </li>
              ))}
              <li>
                <a href={`/_sandbox/openapi.json${api === 'control' ? '?api=control' : ''}`}>
                  OpenAPI
                </a>
              </li>
              <li>
                <a href="/_sandbox/">Dashboard</a>
              </li>
            </ul>
          </nav>
        </header>
        <div class="sides">
          <nav class="contents" aria-label="Contents">
            <Contents entries={contents} />
          </nav>
          <main id="content">
            {languages && <LanguageTabs />}
            {children}
          </main>
        </div>
      </body>
    </Document>
  );
}

function Contents({ entries }: { entries: readonly Entry[] }) {
  return (
    <ul>
      {entries.map(({ id, label, entries: nested }) => (
        <li>
          <a href={`#${id}`}>{label}</a>
          {nested && <Contents entries={nested} />}
        </li>
      ))}
    </ul>
  );
}

/** Renders radio buttons. The stylesheet shows the chosen language, so they work without a script. */
function LanguageTabs() {
  return (
    <fieldset class="languages">
      <legend class="unseen">Language of the examples</legend>
      {LANGUAGES.map(({ id, label }, index) => (
        <label>
          <input type="radio" name="language" id={`in-${id}`} value={id} checked={index === 0} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
