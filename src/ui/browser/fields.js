/**
 * Makes the body of a call: the fields that a form always sends, and those that are filled in.
 * @param {HTMLFormElement} form
 * @returns {Record<string, unknown>}
 * @throws {Error} for a number or an amount that is not one
 */
export function bodyOf(form) {
  /** @type {Record<string, unknown>} */
  const body = JSON.parse(form.dataset.send ?? '{}');
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
    if (field.name === '') continue;
    const value = readField(field, body);
    if (value !== undefined) put(body, field.name.split('.'), value);
  }
  return body;
}

/** @param {HTMLInputElement | HTMLSelectElement} field @param {Record<string, unknown>} body */
function readField(field, body) {
  const isCheckbox = field instanceof HTMLInputElement && field.type === 'checkbox';
  const text = field.type === 'password' ? field.value : field.value.trim();
  if (field.dataset.as === 'item') {
    const items = /** @type {unknown[]} */ (body[field.name] ?? []);
    return isCheckbox && field.checked ? [...items, text] : items;
  }
  if (isCheckbox) return field.checked || undefined;
  if (text === '') return undefined;
  switch (field.dataset.as) {
    case 'boolean':
      return text === 'true';
    case 'list':
      return text.split(',').map((word) => word.trim());
    case 'number':
      return numberOf(field, text);
    case 'cents':
      return centsOf(field, text);
    default:
      return text;
  }
}

/** @param {HTMLInputElement | HTMLSelectElement} field @param {string} text */
function numberOf(field, text) {
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new Error(`${labelOf(field)}: must be a number`);
}

/**
 * "1,999.00" → 199900, by digits, so that nothing is rounded.
 * @param {HTMLInputElement | HTMLSelectElement} field
 * @param {string} text
 */
function centsOf(field, text) {
  const match = /^\$?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/.exec(text);
  if (!match) throw new Error(`${labelOf(field)}: must be an amount such as 1,999.00`);
  const [, whole = '', part = ''] = match;
  return Number(whole.replaceAll(',', '') + part.padEnd(2, '0'));
}

/** @param {HTMLInputElement | HTMLSelectElement} field */
function labelOf(field) {
  return field.labels?.[0]?.textContent?.trim() ?? field.name;
}

/** @param {Record<string, unknown>} body @param {string[]} path @param {unknown} value */
function put(body, [name = '', ...path], value) {
  if (path.length === 0) {
    body[name] = value;
    return;
  }
  const inner = /** @type {Record<string, unknown>} */ (body[name] ?? {});
  put(inner, path, value);
  body[name] = inner;
}
