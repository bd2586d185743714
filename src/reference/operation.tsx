import type { Child } from 'hono/jsx';
import { Code, EmulatorChoice, Inline, JsonCode, Paragraph, Prose, Table } from './components.tsx';
import type { Content, Parameter, PlacedOperation, ResponseObject } from './document.ts';
import { type Field, FieldTable, fieldsOf, notesOf, typeOf } from './fields.tsx';

interface OperationProps extends PlacedOperation {
  /** Codes that are described once for all operations. */
  common: readonly string[];
  /** When the operation responds with a code, where the document says it only in general. */
  when?: Readonly<Record<string, string | undefined>> | undefined;
  children: Child;
}

export function OperationSection({ method, path, operation, ...props }: OperationProps) {
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  return (
    <section class="operation" id={operationId} aria-labelledby={`${operationId}-title`}>
      <div class="explained stack">
        <h3 id={`${operationId}-title`}>
          <a class="anchor" href={`#${operationId}`}>
            <span class={`verb ${method.toLowerCase()}`}>{method}</span>{' '}
            <span class="path">{path}</span>
          </a>
        </h3>
        <Paragraph class="summary" text={summary} />
        <Tags operation={operation} />
        {description && <Description text={description} />}
        <FieldTable caption="Parameters" fields={parameters.map(parameterField)} />
        {requestBody && <Body content={requestBody.content} />}
        <ResponseFields operation={operation} />
        <Errors operation={operation} {...props} />
      </div>
      <div class="shown stack">
        {props.children}
        <ExampleResponses operation={operation} />
      </div>
    </section>
  );
}

function Tags({ operation }: Pick<OperationProps, 'operation'>) {
  const { 'x-scopes': scopes, 'x-rate-class': rateClass, 'x-affiliate': affiliate } = operation;
  if (!scopes) return null;
  return (
    <ul class="tags">
      <li>scope {scopes.join(' or ')}</li>
      <li>
        <a href="#limits">rate class {rateClass}</a>
      </li>
      {affiliate ? <li>affiliate account</li> : null}
    </ul>
  );
}

/** Renders a description without what the tags say. */
function Description({ text }: { text: string }) {
  const blocks = text.split('\n\n').filter((block) => !/^Scope: /.test(block));
  return (
    <>
      {blocks.map((block) => {
        const choice = /^Our choice, where the specification is silent\. /.exec(block)?.[0];
        if (choice === undefined) return <Prose text={block} />;
        return (
          <p class="chosen">
            <EmulatorChoice /> <Inline text={block.slice(choice.length)} />
          </p>
        );
      })}
    </>
  );
}

function parameterField(parameter: Parameter): Field {
  const { name, in: place, required, description, schema } = parameter;
  return {
    name,
    type: `${typeOf(schema)} in ${place}`,
    required: required === true,
    chosen: parameter['x-emulator-choice'] === true,
    notes: [...(description ? [description] : []), ...notesOf(schema)],
  };
}

function Body({ content }: { content: Content }) {
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(content);
  return (
    <>
      {type !== 'application/json' && <p>Body: {Object.keys(content).join(' or ')}.</p>}
      {(schema.anyOf ?? [schema]).map((variant) => {
        const text = variant.description;
        return (
          <FieldTable
            caption={text ? `Body: ${lowerFirst(text.replace(/\.$/, ''))}` : 'Body'}
            fields={fieldsOf(variant)}
          />
        );
      })}
    </>
  );
}

function successOf({ operation }: Pick<OperationProps, 'operation'>) {
  const [[status, response] = ['', undefined]] = Object.entries(operation.responses);
  return { status, content: response?.content ?? {} };
}

function ResponseFields(props: Pick<OperationProps, 'operation'>) {
  const { status, content } = successOf(props);
  const [[type, media] = ['', undefined]] = Object.entries(content);
  if (!media || type !== 'application/json') {
    return (
      <p>
        Response: {status}
        {type && `, ${type}`}.
      </p>
    );
  }
  return (
    <details class="response">
      <summary>Response {status}: all fields</summary>
      <FieldTable caption={`Response ${status}`} fields={fieldsOf(media.schema)} inResponse />
    </details>
  );
}

function ExampleResponses(props: Pick<OperationProps, 'operation'>) {
  const { status, content } = successOf(props);
  return (
    <>
      {Object.entries(content).map(([type, { example, examples = {} }]) => {
        if (typeof example === 'string') {
          return <Code label={`Response ${status}, ${type}`} text={example} />;
        }
        return Object.entries(examples).map(([title, { value }], index) =>
          index === 0 ? (
            <JsonCode label={`Response ${status}`} value={value} />
          ) : (
            <details class="another">
              <summary>Another response: {title.replaceAll('_', ' ')}</summary>
              <JsonCode value={value} />
            </details>
          ),
        );
      })}
    </>
  );
}

interface DocumentedError {
  status: string;
  code: string;
  meaning: string;
}

function Errors(props: Pick<OperationProps, 'operation' | 'common' | 'when'>) {
  const { operation, common, when } = props;
  const errors = Object.entries(operation.responses).flatMap(([status, response]) =>
    status < '400' ? [] : errorsIn(status, response),
  );
  const isCommon = ({ code, status }: DocumentedError) => common.includes(code) || status === '413';
  const specificErrors = errors.filter((error) => !isCommon(error));
  return (
    <>
      {specificErrors.length > 0 && (
        <Table
          caption="Errors"
          class="fields"
          headings={['Status', 'Code', 'When']}
          rowHeading={1}
          rows={specificErrors.map(({ status, code, meaning }) => [
            status,
            <code>{code}</code>,
            <Inline text={when?.[code] || meaning} />,
          ])}
        />
      )}
      <p class="quiet small">
        {specificErrors.length > 0 ? 'Other errors: ' : 'Errors: '}
        {errors.filter(isCommon).map(({ status, code }, index) => (
          <>
            {index > 0 ? ', ' : ''}
            <a href="#errors">
              {status} {code}
            </a>
          </>
        ))}
        .
      </p>
    </>
  );
}

/** Reads the lines of a description: `code`: when it is returned. */
function errorsIn(status: string, { description }: ResponseObject): DocumentedError[] {
  return [...description.matchAll(/^`(\w+)`: (.*)$/gm)].map(([, code = '', meaning = '']) => ({
    status,
    code,
    meaning,
  }));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
