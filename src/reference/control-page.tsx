import type { ControlEndpoint } from '../control/endpoint.ts';
import { controlDocument } from '../openapi/control-document.ts';
import { type ExampleCall, examplesAt } from '../openapi/examples.ts';
import { Code, JsonCode, Prose } from './components.tsx';
import { groupsOf, type PlacedOperation, readDocument } from './document.ts';
import { Frame, groupEntries } from './frame.tsx';
import { OperationSection } from './operation.tsx';
import { targetOf } from './snippets.tsx';

/** Codes of every operation, described once at the top. */
const COMMON = [
  'validation_error',
  'missing_credentials',
  'forbidden',
  'not_found',
  'internal_error',
];

export interface ApiPageProps {
  /** Without a trailing slash. */
  baseUrl: string;
  assets: { stylesheet: string; script: string };
}

export function ControlPage({
  baseUrl,
  assets,
  endpoints,
}: ApiPageProps & { endpoints: readonly ControlEndpoint[] }) {
  const document = readDocument(controlDocument(baseUrl, endpoints));
  const { control: examples, control_errors: errors } = examplesAt(baseUrl);
  const groups = groupsOf(document);
  return (
    <Frame
      title="Control API"
      version={document.info.version}
      api="control"
      assets={assets}
      contents={[{ id: 'start', label: 'Introduction' }, ...groupEntries(groups)]}
      languages={false}
    >
      <section id="start">
        <div class="two">
          <div class="stack text">
            <h1>Control API</h1>
            <Prose text={document.info.description} />
          </div>
          <div class="stack" id="errors">
            <JsonCode label="Error" value={errors.not_found} />
            <p>
              Every operation can respond with{' '}
              {COMMON.map((code) => (
                <>
                  <code>{code}</code>,{' '}
                </>
              ))}
              and the codes that it lists below.
            </p>
          </div>
        </div>
      </section>
      {groups.map(({ id, name, operations }) => (
        <section id={id} aria-labelledby={`${id}-title`}>
          <div class="head stack">
            <h2 id={`${id}-title`}>{name}</h2>
          </div>
          {operations.map((placed) => (
            <OperationSection {...placed} common={COMMON}>
              <Code
                label="curl"
                text={curlOf(
                  placed,
                  `${baseUrl}/_sandbox`,
                  examples[placed.operation.operationId]?.[0],
                )}
              />
            </OperationSection>
          ))}
        </section>
      ))}
    </Frame>
  );
}

/** Writes the command that makes the call of an example, or a call without optional input. */
function curlOf({ method, path }: PlacedOperation, api: string, example?: ExampleCall): string {
  const { parameters = {}, body, content_type: type = 'application/json' } = example ?? {};
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const target = targetOf(path.replace(/\{(\w+)\}/g, ':$1'), parameters);
  const parts = [`${method === 'GET' ? 'curl' : `curl -X ${method}`} ${quote(api + target)}`];
  if (body !== undefined) {
    const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
    parts.push(`-H ${quote(`Content-Type: ${type}`)}`, `--data-binary ${quote(text)}`);
  }
  return parts.join(' \\\n  ');
}
