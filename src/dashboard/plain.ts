/** What shows as nothing, or turns the direction of what stands beside it; tab and line feed are left. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Text that somebody else wrote, with what cannot be seen written out: `\u202e`. */
export function plain(text: string): string {
  return text.replace(UNSEEN, (char) => `\\u${hex(char)}`);
}

/** As `plain`, in one line. */
export function plainLine(text: string): string {
  return plain(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function hex(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const digits = code.toString(16).padStart(4, '0');
  return code > 0xffff ? `{${digits}}` : digits;
}
