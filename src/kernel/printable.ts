// Control characters except tab and line feed, characters that change the text direction, and line separators.
const CONTROL_SET =
  '\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f';
const RUN_OF_CONTROLS = new RegExp(`[${CONTROL_SET}]+`, 'g');
const CONTROL = new RegExp(`\\r\\n|[${CONTROL_SET}]`, 'g');
/** Matches the sequences for bold, dim, red, green, yellow and their ends as a whole: `escapeCharacter` keeps them. */
const CONTROL_BUT_COLORS = new RegExp(`\\x1b\\[(?:[12]|22|3[1239])m|${CONTROL.source}`, 'g');

/** Replaces control characters and direction marks, which could control a terminal, by spaces; not tabs and line feeds. */
export function printable(text: string): string {
  return text.replace(RUN_OF_CONTROLS, ' ');
}

/** Escapes the characters that `printable` replaces: `\u001b`. Keeps CRLF. */
export function escapeControls(text: string): string {
  return text.replace(CONTROL, escapeCharacter);
}

/** As `escapeControls`, for text that this program has colored. */
export function escapeControlsButColors(text: string): string {
  return text.replace(CONTROL_BUT_COLORS, escapeCharacter);
}

/** Returns `\u001b` for a character; a longer text, such as a line break or a color, stays as it is. */
export function escapeCharacter(text: string): string {
  if (text.length > 1) return text;
  return `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns a text, or its beginning and an ellipsis, in at most `max` characters. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  // Without the first half of an emoji.
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
