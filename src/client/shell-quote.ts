/**
 * A word that a shell reads as exactly this text. Control characters would steer the terminal on which the word is
 * shown, so they are spelled; `$'…'` is read by bash, zsh and ksh.
 */
export function shellQuote(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const spelled = text.replace(/['\\]/g, '\\$&').replace(ALL_CONTROLS, octal);
  return `$'${spelled}'`;
}

// Line breaks and tabs show as what they are. A lone byte of Latin-1's own controls is none in UTF-8.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x01-\x08\x0b-\x1f\x7f]/;
const ALL_CONTROLS = new RegExp(CONTROL, 'g');

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
