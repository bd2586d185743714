/** Minted secrets, wherever somebody may have put one. */
const MINTED = String.raw`\bdms_(?:sandbox|live)_\w+`;
/** A shorter one would be found in texts that have nothing to do with it. */
const SHORTEST = 8;

/** Where secrets stand in a text: minted ones by their look, and those known in the spellings that clients use. */
export function secretPattern(secrets: readonly string[]): RegExp {
  const spelled = secrets.filter((secret) => secret.length >= SHORTEST).flatMap(spellings);
  const known = [...new Set(spelled)].map(literally);
  return new RegExp([MINTED, ...known].join('|'), 'gi');
}

function spellings(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
  ];
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
