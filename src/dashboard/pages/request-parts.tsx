import { describeSteps } from '../../requests/describe.ts';
import type { RequestDetail } from '../../requests/logged-request.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { DescriptionList, Section } from '../../ui/layout.tsx';
import { Mono, Text } from '../../ui/text.tsx';

const MARKS = { passed: '✓', failed: '✗', done: '→' };

/** Renders the checks of a request with their results. */
export function Trace({
  shown,
  id = 'trace',
  title = 'Decision trace',
}: {
  shown: RequestDetail;
  id?: string;
  title?: string;
}) {
  return (
    <Section title={title} id={id}>
      <ol class="trace">
        {describeSteps(shown).map(({ check, result, text }) => (
          <li class={result}>
            <span class="mark" aria-hidden="true">
              {MARKS[result]}
            </span>
            <span class="step">{check.replaceAll('_', ' ')}</span>
            <span class="unseen">{result}:</span>
            <span class="detail">
              <Text>{text}</Text>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

const ALTERED = { truncated: 'truncated in the log', redacted: 'secrets redacted' };

/** Renders headers and body. */
export function Message(props: { id: string; title: string; message: RequestDetail['request'] }) {
  const { id, title, message } = props;
  const { headers, body, bytes, encoding, altered } = message;
  const about = [
    `${bytes} bytes`,
    ...(encoding === 'base64' ? ['not text, shown as base64'] : []),
    ...(altered === null ? [] : [ALTERED[altered]]),
  ];
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
          <p class="quiet small">{about.join(', ')}</p>
          <CodeBlock text={body} label={`Body of the ${title.toLowerCase()}`} />
        </>
      )}
    </Section>
  );
}
