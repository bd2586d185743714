import type { PropsWithChildren } from 'hono/jsx';
import { indentJson } from '../kernel/json.ts';
import { escapeInvisible } from './text.tsx';

/** Renders text as it is. It can be focused, so that the keyboard can scroll it. */
export function Preformatted({ label, children }: PropsWithChildren<{ label: string }>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section cannot be preformatted
    <pre role="region" tabindex={0} aria-label={label}>
      {children}
    </pre>
  );
}

/** Renders a button that copies `text`. @param props.what names it for screen readers: "the command" */
export function CopyButton({ text, what }: { text: string; what: string }) {
  return (
    <button type="button" class="copy scripted" data-copy={text}>
      Copy<span class="visually-hidden"> {what}</span>
    </button>
  );
}

export function Command({ text }: { text: string }) {
  return (
    <p class="command">
      <code>{escapeInvisible(text)}</code>
      <CopyButton text={text} what="the command" />
    </p>
  );
}

/** Renders a block of text with a copy button. JSON is indented, and also shown as it was sent. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  const indented = indentJson(text);
  return (
    <div class="block">
      <Preformatted label={label}>
        <bdi>{escapeInvisible(indented)}</bdi>
      </Preformatted>
      <CopyButton text={text} what={label} />
      {indented !== text && (
        <details class="raw">
          <summary>As sent</summary>
          <Preformatted label={`${label} as sent`}>
            <bdi>{escapeInvisible(text)}</bdi>
          </Preformatted>
        </details>
      )}
    </div>
  );
}
