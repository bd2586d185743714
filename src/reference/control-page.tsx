import { controlDocument } from '../openapi/control-document.ts';
import { type ExampleCall, examplesAt } from '../openapi/examples.ts';
import { encodeStrict } from '../signing/canonical.ts';
import { Code } from './code.tsx';
import { type Document, operationsOf, type Placed } from './document.ts';
import { Frame } from './frame.tsx';
import { OperationSection } from './operation.tsx';
import { Prose } from './prose.tsx';

/** Told once, at the top. */
const EVERYWHERE = [
  'validation_error',
  'missing_credentials',
  'forbidden',
  'not_found',
  'internal_error',
];

/** The reference of the control door. @param baseUrl without a trailing slash */
export function ControlPage({ baseUrl }: { baseUrl: string }) {
  const document = controlDocument(baseUrl) as unknown as Document;
  const { control: examples, control_errors: errors } = examplesAt(baseUrl);
  const operations = operationsOf(document);
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const contents = [
    { id: 'start', label: 'Start here' },
    ...groups.map(({ name, operations }) => ({
      id: name,
      label: name,
      below: operations.map(({ method, path, operation }) => ({
        id: operation.operationId,
        label: `${method} ${path}`,
      })),
    })),
  ];
  return (
    <Frame
      title="Control door"
      version={document.info.version}
      api="control"
      contents={contents}
      languages={false}
    >
      <section id="start">
        <div class="two">
          <div class="stack text">
            <h1>Control door</h1>
            <Prose text={document.info.description} />
          </div>
          <div class="stack" id="errors">
            <Code label="A rejection" text={JSON.stringify(errors.not_found, null, 2)} />
            <p>
              Every route can answer{' '}
              {EVERYWHERE.map((code) => (
                <>
                  <code>{code}</code>,{' '}
                </>
              ))}
              and whatever else it names below.
            </p>
          </div>
        </div>
      </section>
      {groups.map(({ name, operations }) => (
        <section id={name} aria-labelledby={`${name}-title`}>
          <div class="head stack">
            <h2 id={`${name}-title`}>{name}</h2>
          </div>
          {operations.map((placed) => (
            <OperationSection {...placed} document={document} everywhere={EVERYWHERE}>
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

/** The line that makes the call of an example, or one without anything that can be left out. */
function curlOf({ method, path }: Placed, api: string, example?: ExampleCall): string {
  const { parameters = {}, body, content_type: type = 'application/json' } = example ?? {};
  const inPath = (name: string) => path.includes(`{${name}}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeStrict(`${parameters[name] ?? name}`),
  );
  const query = Object.entries(parameters)
    .filter(([name]) => !inPath(name))
    .map(([name, value]) => `${encodeStrict(name)}=${encodeStrict(String(value))}`)
    .join('&');
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const words = [
    method === 'GET' ? 'curl' : `curl -X ${method}`,
    quoted(`${api}${filled}${query && `?${query}`}`),
  ];
  if (body !== undefined) {
    words.push(`-H ${quoted(`Content-Type: ${type}`)}`);
    words.push(
      `--data-binary ${quoted(typeof body === 'string' ? body : JSON.stringify(body, null, 2))}`,
    );
  }
  return words.join(' \\\n  ').replace(' \\\n  ', ' ');
}
