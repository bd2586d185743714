import { plain } from '../plain.ts';

/** A button that copies a text. */
export function Copy({ text, what }: { text: string; what: string }) {
  return (
    <button type="button" class="copy scripted" data-copy={text} data-what={what}>
      Copy<span class="unseen"> {what}</span>
    </button>
  );
}

/**
 * A button that copies what the control door answers when it is pressed.
 * @param member of the answer; an object is copied as lines of `export NAME=value`
 */
export function CopyAnswer({
  from,
  member,
  label,
}: {
  from: string;
  member: string;
  label: string;
}) {
  return (
    <button
      type="button"
      class="plain scripted"
      data-copy-from={from}
      data-member={member}
      data-what={label}
    >
      {label}
    </button>
  );
}

/** A command to type, or to copy. */
export function Command({ text }: { text: string }) {
  return (
    <p class="command">
      <code>{plain(text)}</code>
      <Copy text={text} what="the command" />
    </p>
  );
}
