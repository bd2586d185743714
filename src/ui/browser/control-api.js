/**
 * Calls the control API.
 * @param {string} url
 * @param {RequestInit} [options]
 * @returns {Promise<any>} the JSON body of the response
 * @throws {Error} with a message for the reader, if the call fails
 */
export async function callControl(url, options) {
  const response = await requestControl(url, options);
  return response.json().catch(() => ({}));
}

/**
 * As `callControl`, for a response that is not JSON.
 * @param {string} url
 * @param {RequestInit} [options]
 */
export async function requestControl(url, options) {
  const response = await fetch(url, options).catch(() => {
    throw new Error('The sandbox does not respond. Is it still running?');
  });
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new Error(body.error?.message ?? `The sandbox responded with status ${response.status}.`);
}

/** @param {unknown} error @returns {string} */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
