import { plain, plainLine } from '../plain.ts';
import { Copy } from './copy.tsx';
import { Verbatim } from './verbatim.tsx';

/** One line that somebody else wrote. */
export function Text({ children }: { children: string }) {
  return <bdi class="text">{plainLine(children)}</bdi>;
}

/** The same in the type of ids, domains and addresses. */
export function Mono({ children }: { children: string }) {
  return <bdi class="mono">{plainLine(children)}</bdi>;
}

/** Lines as they were sent; JSON is also shown laid out. */
export function Block({ text, label }: { text: string; label: string }) {
  const laidOut = layOut(text);
  return (
    <div class="block">
      <Verbatim label={label}>
        <bdi>{plain(laidOut ?? text)}</bdi>
      </Verbatim>
      <Copy text={text} what={label} />
      {laidOut !== undefined && laidOut !== text && (
        <details class="raw">
          <summary>As sent</summary>
          <Verbatim label={`${label} as sent`}>
            <bdi>{plain(text)}</bdi>
          </Verbatim>
        </details>
      )}
    </div>
  );
}

/** A document that we made. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return <Block text={JSON.stringify(value, null, 2)} label={label} />;
}

function layOut(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}
