// Control characters but tab and line feed, characters that change the direction of text, and line separators.
const CONTROLS =
  '\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f';
const RUNS = new RegExp(`[${CONTROLS}]+`, 'g');
const EACH = new RegExp(`\\r\\n|[${CONTROLS}]`, 'g');
/** What this program writes itself: bold, dim, red, green, yellow and their ends. */
const EACH_BUT_COLORS = new RegExp(`\\x1b\\[(?:[12]|22|3[1239])m|${EACH.source}`, 'g');

/** Escapes control characters and direction marks, which could control a terminal. */
export function printable(text: string): string {
  return text.replace(RUNS, ' ');
}

/** As `printable`, with escapes in place of these characters. */
export function escapeControls(text: string): string {
  return text.replace(EACH, escapeOne);
}

/** As `escapeControls`, for text that this program has colored. */
export function escapeControlsButColors(text: string): string {
  return text.replace(EACH_BUT_COLORS, escapeOne);
}

/** `\u001b` */
export function escapeOne(found: string): string {
  if (found.length > 1) return found;
  return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
