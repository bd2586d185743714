// Control characters except tab and line feed, characters that change the text direction, and line separators.
const CONTROLS =
  '\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f';
const RUNS = new RegExp(`[${CONTROLS}]+`, 'g');
const EACH = new RegExp(`\\r\\n|[${CONTROLS}]`, 'g');
/** Excludes the escape sequences that this program writes: bold, dim, red, green, yellow and their ends. */
const EACH_BUT_COLORS = new RegExp(`\\x1b\\[(?:[12]|22|3[1239])m|${EACH.source}`, 'g');

/** Replaces control characters and direction marks, which could control a terminal, by spaces. */
export function printable(text: string): string {
  return text.replace(RUNS, ' ');
}

/** Escapes the same characters: `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(EACH, escapeOne);
}

/** As `escapeControls`, for text that this program has colored. */
export function escapeControlsButColors(text: string): string {
  return text.replace(EACH_BUT_COLORS, escapeOne);
}

/** `\u001b` */
export function escapeOne(text: string): string {
  if (text.length > 1) return text;
  return `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
