/** @param {string} text */
const encode = (text) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Compares by Unicode code point.
 * @param {string} one @param {string} other
 */
function compare(one, other) {
  const [a, b] = [Array.from(one), Array.from(other)];
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const difference = (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** @param {string} query without `?` */
export function canonicalQuery(query) {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.includes('=') ? pair.indexOf('=') : pair.length;
      return [pair.slice(0, at), pair.slice(at + 1)].map(decodeURIComponent);
    })
    .sort(([key = '', value = ''], [otherKey = '', otherValue = '']) => {
      return compare(key, otherKey) || compare(value, otherValue);
    })
    .map((pair) => pair.map(encode).join('='))
    .join('&');
}

/** @param {BufferSource} bytes */
const hex = (bytes) =>
  Array.from(new Uint8Array(/** @type {ArrayBuffer} */ (bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/**
 * Signs a partner API request. Needs a secure context, such as a loopback address.
 * @param {{ keyId: string, secret: string }} credential
 * @param {{ method: string, path: string, query: string, body: string }} request path and query as sent
 * @param {{ timestamp: string, nonce: string }} once
 * @returns {Promise<Record<string, string>>} the authentication headers
 */
export async function signedHeaders({ keyId, secret }, { method, path, query, body }, once) {
  const verb = method.toUpperCase();
  const { subtle } = globalThis.crypto;
  const encoder = new TextEncoder();
  const isBodyIgnored = verb === 'GET' || verb === 'HEAD';
  const hash = await subtle.digest('SHA-256', encoder.encode(isBodyIgnored ? '' : body));
  const lines = [verb, path, canonicalQuery(query), once.timestamp, once.nonce, hex(hash)];
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const signature = await subtle.sign('HMAC', key, encoder.encode(lines.join('\n')));
  return {
    'X-Service-Key-Id': keyId,
    'X-Service-Timestamp': once.timestamp,
    'X-Service-Nonce': once.nonce,
    'X-Service-Signature': `v1=${hex(signature)}`,
  };
}
