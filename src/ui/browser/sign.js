// Signs in the browser as `signing/` does on the server (specification, "Canonical string"); tests compare both.

/** @param {string} text */
const encodeStrict = (text) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Returns hex that sorts by code point, as the specification wants: strings compare by UTF-16 unit. Hex digits sort after
 * the comma that `canonicalQuery` puts between key and value, so keys are compared first.
 * @param {string} text
 */
const sortKey = (text) =>
  Array.from(text, (char) => char.codePointAt(0)?.toString(16).padStart(6, '0')).join('');

/** @param {string} query without `?` */
function canonicalQuery(query) {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.includes('=') ? pair.indexOf('=') : pair.length;
      return [pair.slice(0, at), pair.slice(at + 1)].map(decodeURIComponent);
    })
    .map((pair) => ({ pair, key: pair.map(sortKey).join(',') }))
    .sort((a, b) => Number(a.key > b.key) - Number(a.key < b.key))
    .map(({ pair }) => pair.map(encodeStrict).join('='))
    .join('&');
}

/** @param {ArrayBuffer} bytes */
const hex = (bytes) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Signs a partner API request. Needs a secure context, such as a loopback address.
 * @param {{ keyId: string, secret: string }} credential
 * @param {{ method: string, path: string, query: string, body: string }} request path and query as sent
 * @param {{ timestamp: string, nonce: string }} freshness in Unix seconds, and new for each request
 * @returns {Promise<Record<string, string>>} the authentication headers
 */
export async function signedHeaders({ keyId, secret }, { method, path, query, body }, freshness) {
  const { timestamp, nonce } = freshness;
  const verb = method.toUpperCase();
  const { subtle } = globalThis.crypto;
  const encoder = new TextEncoder();
  const isBodyIgnored = verb === 'GET' || verb === 'HEAD';
  const hash = await subtle.digest('SHA-256', encoder.encode(isBodyIgnored ? '' : body));
  const lines = [verb, path, canonicalQuery(query), timestamp, nonce, hex(hash)];
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const signature = await subtle.sign('HMAC', key, encoder.encode(lines.join('\n')));
  return {
    'X-Service-Key-Id': keyId,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': `v1=${hex(signature)}`,
  };
}
