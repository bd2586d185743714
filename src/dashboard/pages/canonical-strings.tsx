import { CANONICAL_LINES } from '../../requests/compare-requests.ts';
import type { RequestDetail } from '../../requests/logged-request.ts';
import { Copy } from '../../ui/code.tsx';
import { Section } from '../../ui/layout.tsx';
import { escapeInvisible } from '../../ui/text.tsx';

/** Renders the expected canonical string, beside the string that the client signed if that is known. */
export function CanonicalStrings({ shown }: { shown: RequestDetail }) {
  const { canonical_string: expected, signed_string: signed } = shown;
  if (expected === null) return null;
  const [ours, theirs] = [expected.split('\n'), signed?.split('\n')];
  return (
    <Section title="Canonical string" id="canonical">
      <p class="quiet small">
        {theirs
          ? 'The client signed the second string. Lines that differ are highlighted.'
          : 'Six lines, joined by a line feed, with none at the end.'}
      </p>
      <div class={theirs ? 'sides two' : 'sides'}>
        <Side title="Expected" text={expected} lines={ours} other={theirs} />
        {theirs && <Side title="Signed" text={signed ?? ''} lines={theirs} other={ours} />}
      </div>
    </Section>
  );
}

function Side(props: {
  title: 'Expected' | 'Signed';
  text: string;
  lines: string[];
  other: string[] | undefined;
}) {
  const { title, text, lines, other } = props;
  const name = title.toLowerCase();
  return (
    <div>
      <p class="side-title">
        <strong>{title}</strong> <Copy text={text} what={`the ${name} string`} />
      </p>
      <ol class="lines">
        {lines.map((line, n) => {
          const differs = other !== undefined && other[n] !== line;
          return (
            <li class={differs ? `differs ${name}` : undefined}>
              <span class="name">{CANONICAL_LINES[n] ?? `line ${n + 1}`}</span>
              <bdi class="mono">{line === '' ? <i class="quiet">empty</i> : formatLine(line)}</bdi>
              {differs && <span class="unseen"> differs</span>}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** Shows a carriage return at the end, which is a common mistake. */
function formatLine(line: string): string {
  return escapeInvisible(line.replaceAll('\r', '␍'));
}
