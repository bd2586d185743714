import type { RequestDetail } from '../../requests/views.ts';
import { Copy } from '../parts/copy.tsx';
import { Section } from '../parts/section.tsx';
import { plain } from '../plain.ts';

/** The lines of a canonical string (specification, "Authentication"), by what they hold. */
const LINES = ['method', 'path', 'query', 'timestamp', 'nonce', 'body hash'];

/** What the signature was held against, beside what was signed instead where that could be found out. */
export function CanonicalStrings({ shown }: { shown: RequestDetail }) {
  const { canonical_string: expected, signed_string: signed } = shown;
  if (expected === null) return null;
  const [ours, theirs] = [linesOf(expected), signed === null ? undefined : linesOf(signed)];
  return (
    <Section title="Canonical string" id="canonical">
      <p class="quiet small">
        {theirs
          ? 'The signature is that of the string on the second side. Lines that differ are marked.'
          : 'Lines 1 to 6, with a line feed between them and none behind the last.'}
      </p>
      <div class={theirs ? 'sides two' : 'sides'}>
        <Side title="Expected" text={expected} lines={ours} other={theirs} mark="expected" />
        {theirs && (
          <Side title="Signed" text={signed ?? ''} lines={theirs} other={ours} mark="signed" />
        )}
      </div>
    </Section>
  );
}

function Side(props: {
  title: string;
  text: string;
  lines: string[];
  other: string[] | undefined;
  mark: string;
}) {
  const { title, text, lines, other, mark } = props;
  return (
    <div class="side-by-side">
      <p class="side-title">
        <strong>{title}</strong> <Copy text={text} what={`the string ${title.toLowerCase()}`} />
      </p>
      <ol class="lines">
        {lines.map((line, n) => {
          const differs = other !== undefined && other[n] !== line;
          return (
            <li class={differs ? `differs ${mark}` : undefined}>
              <span class="what">{LINES[n] ?? `line ${n + 1}`}</span>
              <bdi class="mono">{line === '' ? <i class="quiet">empty</i> : shownLine(line)}</bdi>
              {differs && <span class="unseen"> differs</span>}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function linesOf(text: string): string[] {
  return text.split('\n');
}

/** A carriage return at the end is a mistake of its own, and would not show. */
function shownLine(line: string): string {
  return plain(line.replaceAll('\r', '␍'));
}
