import type { Child } from 'hono/jsx';
import { DocumentHead } from '../pages/document-head.tsx';
import { SCRIPT_PATH, STYLESHEET_PATH } from './assets.ts';
import { LANGUAGES } from './languages.ts';

/** A line of the table of contents, with what is below it. */
export interface Entry {
  id: string;
  label: Child;
  /** As text, where the label is more than that. */
  below?: readonly Entry[];
}

export interface FrameProps {
  title: string;
  version: string;
  api: 'partner' | 'control';
  contents: readonly Entry[];
  /** Whether there are examples in several languages to choose from. */
  languages: boolean;
  children: Child;
}

const DOORS = [
  { api: 'partner', label: 'Partner API', href: '/_sandbox/reference' },
  { api: 'control', label: 'Control door', href: '/_sandbox/reference?api=control' },
] as const;

/** The frame of a reference: its doors, contents and languages. */
export function Frame({ title, version, api, contents, languages, children }: FrameProps) {
  return (
    <html lang="en">
      <DocumentHead title={`${title} · sandlot`} stylesheet={STYLESHEET_PATH}>
        <script src={SCRIPT_PATH} defer></script>
      </DocumentHead>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <p class="brand">
            sandlot <span class="quiet">{version}</span>
          </p>
          <nav aria-label="Doors">
            <ul>
              {DOORS.map((each) => (
                <li>
                  <a href={each.href} aria-current={each.api === api ? 'page' : undefined}>
                    {each.label}
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
            {languages && <LanguageChoice />}
            {children}
          </main>
        </div>
      </body>
    </html>
  );
}

function Contents({ entries }: { entries: readonly Entry[] }) {
  return (
    <ul>
      {entries.map(({ id, label, below }) => (
        <li>
          <a href={`#${id}`}>{label}</a>
          {below && <Contents entries={below} />}
        </li>
      ))}
    </ul>
  );
}

/** Radio buttons: the stylesheet shows what is chosen, so it works without script. */
function LanguageChoice() {
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
