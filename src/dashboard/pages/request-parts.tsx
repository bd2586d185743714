import { CANONICAL_LINES } from '../../requests/compare-requests.ts';
import { describeBody, describeSteps } from '../../requests/describe-entry.ts';
import type { RequestDetail } from '../../requests/logged-request.ts';
import { CodeBlock, CopyButton } from '../../ui/code.tsx';
import { DescriptionList, Section } from '../../ui/layout.tsx';
import { escapeInvisible, Mono, Text } from '../../ui/text.tsx';

const RESULT_MARKS = { passed: '✓', failed: '✗', done: '→' };

/** Renders the checks of a request with their results. */
export function Trace({ request }: { request: RequestDetail }) {
  return (
    <Section title="Decision trace" id="trace">
      <ol class="trace">
        {describeSteps(request.trace).map(({ check, result, text }) => (
          <li class={result}>
            <span class="mark" aria-hidden="true">
              {RESULT_MARKS[result]}
            </span>
            <span class="step">{check.replaceAll('_', ' ')}</span>
            <span class="visually-hidden">{result}:</span>
            <span class="detail">
              <Text>{text}</Text>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Renders the expected canonical string, beside the string that the client signed if that is known. */
export function CanonicalStrings({ request }: { request: RequestDetail }) {
  const expected = request.canonical_string?.split('\n');
  const signed = request.signed_string?.split('\n');
  if (!expected) return null;
  return (
    <Section title="Canonical string" id="canonical">
      <p class="quiet small">
        {signed
          ? 'The client signed the second string. Lines that differ are highlighted.'
          : 'Six lines, joined by a line feed, with none at the end.'}
      </p>
      <div class={signed ? 'sides two' : 'sides'}>
        <Side title="Expected" name="expected" lines={expected} otherLines={signed} />
        {signed && <Side title="Signed" name="signed" lines={signed} otherLines={expected} />}
      </div>
    </Section>
  );
}

interface SideProps {
  title: string;
  /** Also the class of lines that differ. */
  name: 'expected' | 'signed';
  lines: string[];
  otherLines: string[] | undefined;
}

function Side({ title, name, lines, otherLines }: SideProps) {
  return (
    <div>
      <p class="side-title">
        <strong>{title}</strong> <CopyButton text={lines.join('\n')} what={`the ${name} string`} />
      </p>
      <ol class="lines">
        {lines.map((line, n) => {
          const differs = otherLines !== undefined && otherLines[n] !== line;
          return (
            <li class={differs ? `differs ${name}` : undefined}>
              <span class="name">{CANONICAL_LINES[n] ?? `line ${n + 1}`}</span>
              <bdi class="mono">{line === '' ? <i class="quiet">empty</i> : formatLine(line)}</bdi>
              {differs && <span class="visually-hidden"> differs</span>}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** Shows carriage returns: one at the end of a line is a common mistake. */
function formatLine(line: string): string {
  return escapeInvisible(line.replaceAll('\r', '␍'));
}

/** Renders the headers and the body of a request or a response. */
export function MessageSection(props: {
  id: string;
  title: string;
  message: RequestDetail['request'];
}) {
  const { id, title, message } = props;
  const { headers, body } = message;
  return (
    <Section title={title} id={id}>
      {headers.length > 0 && (
        <DescriptionList
          class="headers"
          items={headers.map(([name, value]) => [<Mono>{name}</Mono>, <Mono>{value}</Mono>])}
        />
      )}
      {body === null ? (
        <p class="quiet">No body.</p>
      ) : (
        <>
          <p class="quiet small">{describeBody(message)}</p>
          <CodeBlock text={body} label={`Body of the ${title.toLowerCase()}`} />
        </>
      )}
    </Section>
  );
}
