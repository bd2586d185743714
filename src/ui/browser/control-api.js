/**
 * Calls the control API.
 * @param {string} url
 * @param {RequestInit} [options]
 * @returns {Promise<any>} the JSON body of the response
 * @throws {Error} with a message for the reader, if the call fails
 */
export async function callControl(url, options) {
  const response = await fetch(url, options).catch(() => {
    throw new Error('The sandbox does not respond. Is it still running?');
  });
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  throw new Error(body.error?.message ?? `The sandbox responded with status ${response.status}.`);
}

/**
 * @param {unknown} error
 * @returns {string}
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
