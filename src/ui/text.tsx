import type { Tone } from '../kernel/columns.ts';
import { isoTime } from '../kernel/time.ts';

/** Characters that are invisible or change the text direction, except tab and line feed. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Escapes characters that a reader cannot see: `\u202e`. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const digits = code.toString(16).padStart(4, '0');
    return `\\u${code > 0xffff ? `{${digits}}` : digits}`;
  });
}

/** As `escapeInvisible`, for one line of text. */
export function escapeInvisibleInLine(text: string): string {
  return escapeInvisible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Renders a line of text that a user or client chose. */
export function Text({ children }: { children: string }) {
  return <bdi class="text">{escapeInvisibleInLine(children)}</bdi>;
}

/** As `Text`, in monospace: for ids, domains and URLs. */
export function Mono({ children }: { children: string }) {
  return <bdi class="mono">{escapeInvisibleInLine(children)}</bdi>;
}

export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`badge ${tone}`}>{escapeInvisibleInLine(children)}</span>;
}

/** Renders an ISO 8601 time: `2026-03-02T09:00:00.125Z` as `2026-03-02 09:00:00Z`, or with its milliseconds. */
export function Timestamp({ at, precision = 's' }: { at: string; precision?: 's' | 'ms' }) {
  return (
    <time datetime={at} title={at}>
      <span class="day">{at.slice(0, 10)}</span> {at.slice(11, precision === 'ms' ? 23 : 19)}Z
    </time>
  );
}

/** Renders a time (Unix ms) for readers: "2 March 2026, 09:00 UTC". */
export function LongTimestamp({ at }: { at: number }) {
  const iso = isoTime(at);
  const day = new Date(at).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return <time datetime={iso}>{`${day}, ${iso.slice(11, 16)} UTC`}</time>;
}
