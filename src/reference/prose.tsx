import type { Child } from 'hono/jsx';

/** Text of a document: paragraphs, `code`, and lists whose lines begin with `-` or `1.` */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n{2,}/).map((block) => {
        const lines = block.split('\n');
        const items = lines.map((line) => /^(?:-|\d+\.) (.*)$/.exec(line)?.[1]);
        if (!items.every((item) => item !== undefined)) {
          return (
            <p>
              <Inline text={block} />
            </p>
          );
        }
        const List = lines[0]?.startsWith('-') ? 'ul' : 'ol';
        return (
          <List class="told">
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

/** Text with `code` in it. */
export function Inline({ text }: { text: string }) {
  return <>{inline(text)}</>;
}

function inline(text: string): Child[] {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
}
