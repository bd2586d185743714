import type { Child, PropsWithChildren } from 'hono/jsx';

interface CodeProps {
  text: string;
  label?: Child;
  class?: string;
  id?: string | undefined;
  /** Id of the block that the script copies together with this one. */
  signer?: string;
}

/** Renders a block of code; the script adds copy buttons. */
export function Code({ text, label, class: kind = '', id, signer }: CodeProps) {
  return (
    <figure class={`code ${kind}`.trim()} id={id} data-signer={signer}>
      {label && <figcaption>{label}</figcaption>}
      <pre tabindex={0}>
        <code>{text.trimEnd()}</code>
      </pre>
    </figure>
  );
}

export function JsonCode({ value, label }: { value: unknown; label?: string }) {
  return <Code text={JSON.stringify(value, null, 2)} label={label} />;
}

/** Marks what the specification leaves open. */
export function EmulatorChoice() {
  return (
    <span class="choice" title="The specification does not say; the emulator chose this.">
      {' '}
      emulator’s choice
    </span>
  );
}

/** Renders the Markdown of descriptions: paragraphs, `code`, and lists whose lines begin with `-` or `1.` */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n{2,}/).map((block) => {
        const lines = block.split('\n');
        const items = lines.map((line) => /^(?:-|\d+\.) (.*)$/.exec(line)?.[1]);
        if (!items.every((item) => item !== undefined)) {
          return <Paragraph text={block} />;
        }
        const List = lines[0]?.startsWith('-') ? 'ul' : 'ol';
        return (
          <List class="prose">
            {items.map((item) => (
              <li>
                <Inline text={item ?? ''} />
              </li>
            ))}
          </List>
        );
      })}
    </>
  );
}

export function Inline({ text }: { text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

export function Paragraph({ text, class: kind }: { text: string; class?: string }) {
  return (
    <p class={kind}>
      <Inline text={text} />
    </p>
  );
}

interface TableProps {
  caption: string;
  /** Hides the caption where a heading says the same. */
  hideCaption?: boolean;
  class?: string;
  headings?: readonly string[];
  rows: readonly (readonly Child[])[];
  /** Ids of the rows. */
  ids?: readonly string[];
  /** Column whose cells head their rows; the first by default. */
  rowHeading?: number;
}

export function Table(props: TableProps) {
  const { caption, hideCaption = false, headings, rows, ids, rowHeading = 0 } = props;
  return (
    <table class={props.class}>
      <caption class={hideCaption ? 'unseen' : undefined}>{caption}</caption>
      {headings && (
        <thead>
          <tr>
            {headings.map((heading) => (
              <th scope="col">{heading}</th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((cells, n) => (
          <tr id={ids?.[n]}>
            {cells.map((cell, index) =>
              index === rowHeading ? <th scope="row">{cell}</th> : <td>{cell}</td>,
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function TextSection({
  id,
  title,
  intro,
  children,
}: PropsWithChildren<{ id: string; title: string; intro?: string }>) {
  return (
    <section id={id} class="stack" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {intro && <Paragraph class="text" text={intro} />}
      {children}
    </section>
  );
}
