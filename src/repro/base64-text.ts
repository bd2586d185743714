/** An address has 6 characters at least. */
const BASE64 = /[A-Za-z0-9+/_-]{8,}={0,2}/g;
/** Fewer bytes may be UTF-8 by accident. */
const MIN_TEXT = 18;
/** What an @ can be in base64, at each of the three offsets. */
const AT_IN_BASE64 = /Q[A-P]|[EUk0][A-D]|[BFJNRVZdhlptx159]A/;
const MAX_OFFSET = 3;

/** Text that base64 may hold. */
export interface Base64Text {
  /** One character for each byte if it is not UTF-8. */
  text: string;
  /** Whether it is surely text: few bytes, and the random ones of a token, may look like text. */
  isText: boolean;
}

export interface Base64Edit {
  /** Whether this base64 may hold something to change. */
  mayHold(encoded: string): boolean;
  /** Changes a text, which must keep its length in bytes. */
  edit(decoded: Base64Text): string;
}

/** Changes text inside base64. Tries each alignment: what precedes it may look like base64 too. */
export function editBase64(text: string, { mayHold, edit }: Base64Edit): string {
  return text.replace(BASE64, (encoded) => {
    if (!mayHold(encoded)) return encoded;
    for (let offset = 0; offset <= MAX_OFFSET; offset += 1) {
      const part = encoded.slice(offset);
      const alphabet = /[-_]/.test(part) ? 'base64url' : 'base64';
      const changed = changedBytes(Buffer.from(part, alphabet), edit);
      if (!changed) continue;
      const again = changed.toString(alphabet).replace(/=+$/, '');
      return encoded.slice(0, offset) + again + part.slice(again.length);
    }
    return encoded;
  });
}

/** Whether base64 may hold an @. */
export function mayHoldAt(encoded: string): boolean {
  return AT_IN_BASE64.test(encoded);
}

function changedBytes(bytes: Buffer, edit: Base64Edit['edit']): Buffer | undefined {
  const utf8 = bytes.toString();
  const isUtf8 = Buffer.from(utf8).equals(bytes);
  const text = isUtf8 ? utf8 : bytes.toString('latin1');
  const changed = edit({ text, isText: isUtf8 && bytes.length >= MIN_TEXT });
  return changed === text ? undefined : Buffer.from(changed, isUtf8 ? 'utf8' : 'latin1');
}
