import type { Child } from 'hono/jsx';

/** Text in its own lines; in the order of Tab, because it may have to be scrolled. */
export function Verbatim({ label, children }: { label: string; children?: Child }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section cannot be preformatted
    <pre role="region" tabindex={0} aria-label={label}>
      {children}
    </pre>
  );
}

/** Where the script writes what the control door answered. @param members of it; all when left out */
export function AnswerPlace(props: { label: string; members?: string; hidden?: boolean }) {
  const { label, members = '', hidden = false } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section cannot be preformatted
    <pre
      role="region"
      tabindex={0}
      aria-label={label}
      data-answer={members}
      data-keep
      hidden={hidden}
    />
  );
}
