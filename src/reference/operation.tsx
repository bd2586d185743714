import type { Child } from 'hono/jsx';
import { Choice } from './choice.tsx';
import { Code, JsonCode } from './code.tsx';
import {
  answerOf,
  type Content,
  type Document,
  nameOf,
  type Placed,
  type Schema,
} from './document.ts';
import { ErrorTable, errorsOf } from './errors-of.tsx';
import { MemberTable } from './member-table.tsx';
import { constraintsOf, type Member, membersOf, typeWords } from './members.ts';
import { Inline, Prose } from './prose.tsx';

export interface OperationProps extends Placed {
  document: Document;
  /** Codes told once for all operations; the others are told of in each. */
  everywhere: readonly string[];
  /** When it gives a code, where the document says it in general only. */
  when?: Readonly<Record<string, string | undefined>> | undefined;
  /** Its call, in code. */
  children: Child;
}

/** One operation of a document: what it does, takes and answers. */
export function OperationSection({ document, method, path, operation, ...props }: OperationProps) {
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const errors = errorsOf(document, operation).map((each) => ({
    ...each,
    says: (each.status !== '413' && props.when?.[each.code]) || each.says,
  }));
  const own = errors.filter(
    ({ code, status }) => !props.everywhere.includes(code) && status !== '413',
  );
  return (
    <section class="operation" id={operationId} aria-labelledby={`${operationId}-title`}>
      <div class="explained stack">
        <h3 id={`${operationId}-title`}>
          <a class="anchor" href={`#${operationId}`}>
            <span class={`verb ${method.toLowerCase()}`}>{method}</span>{' '}
            <span class="path">{path}</span>
          </a>
        </h3>
        <p class="summary">
          <Inline text={summary} />
        </p>
        <Badges operation={operation} />
        {description && <Notes text={description} />}
        <MemberTable
          caption="Parameters"
          members={parameters.map((each) => parameter(document, each))}
        />
        {requestBody && <Body document={document} content={requestBody.content} />}
        <Answers document={document} operation={operation} />
        {own.length > 0 && <ErrorTable caption="Errors" errors={own} />}
        <p class="quiet small">
          {own.length > 0 ? 'Besides, as everywhere: ' : 'Errors as everywhere: '}
          {errors
            .filter((each) => !own.includes(each))
            .map(({ status, code }, index) => (
              <>
                {index > 0 ? ', ' : ''}
                <a href="#errors">
                  {status} {code}
                </a>
              </>
            ))}
          .
        </p>
      </div>
      <div class="shown stack">
        {props.children}
        <ExampleAnswers document={document} operation={operation} />
      </div>
    </section>
  );
}

function Badges({ operation }: { operation: Placed['operation'] }) {
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

/** What the badges say already is left out. */
function Notes({ text }: { text: string }) {
  const told = text.split('\n\n').filter((block) => !/^Scope: /.test(block));
  return (
    <>
      {told.map((block) => {
        const choice = /^Our choice, where the specification is silent\. /.exec(block)?.[0];
        if (choice === undefined) return <Prose text={block} />;
        return (
          <p class="chosen">
            <Choice /> <Inline text={block.slice(choice.length)} />
          </p>
        );
      })}
    </>
  );
}

function parameter(
  document: Document,
  {
    name,
    in: place,
    required,
    description,
    schema,
    ...more
  }: NonNullable<Placed['operation']['parameters']>[number],
): Member {
  return {
    name,
    type: `${typeWords(document, schema)} in ${place}`,
    required: required === true,
    chosen: more['x-emulator-choice'] === true,
    says: [...(description ? [description] : []), ...constraintsOf(document, schema)],
  };
}

function Body({ document, content }: { document: Document; content: Content }) {
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(content);
  const ways: Schema[] = schema.anyOf ?? [schema];
  return (
    <>
      {type !== 'application/json' && <p>Body: {Object.keys(content).join(' or ')}.</p>}
      {ways.map((way) => {
        const said = way.$ref && document.components.schemas[nameOf(way.$ref)]?.description;
        return (
          <MemberTable
            caption={said ? `Body: ${lowerFirst(said.replace(/\.$/, ''))}` : 'Body'}
            members={membersOf(document, way)}
          />
        );
      })}
    </>
  );
}

function Answers({ document, operation }: Pick<OperationProps, 'document' | 'operation'>) {
  const [[status, raw] = ['', undefined]] = Object.entries(operation.responses);
  if (raw === undefined) return null;
  const [[type, each] = ['', undefined]] = Object.entries(answerOf(document, raw).content ?? {});
  if (!each || type !== 'application/json')
    return (
      <p>
        Answers {status}
        {type && `, ${type}`}.
      </p>
    );
  return (
    <details class="answer">
      <summary>Answer {status}: every member</summary>
      <MemberTable
        caption={`Answer ${status}`}
        members={membersOf(document, each.schema)}
        answered
      />
    </details>
  );
}

function ExampleAnswers({ document, operation }: Pick<OperationProps, 'document' | 'operation'>) {
  const [[status, raw] = ['', undefined]] = Object.entries(operation.responses);
  const answer = raw && answerOf(document, raw);
  return (
    <>
      {Object.entries(answer?.content ?? {}).map(([type, { example, examples = {} }]) => {
        const titled = Object.entries(examples);
        if (typeof example === 'string')
          return <Code label={`Answer ${status}, ${type}`} text={example} />;
        return titled.map(([title, { value }], index) =>
          index === 0 ? (
            <JsonCode label={`Answer ${status}`} value={value} />
          ) : (
            <details class="another">
              <summary>Another answer: {title.replaceAll('_', ' ')}</summary>
              <JsonCode value={value} />
            </details>
          ),
        );
      })}
    </>
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
