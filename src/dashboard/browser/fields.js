/** What was typed or answered makes no sense; the message says what would. */
export class FieldError extends Error {}

/**
 * The body of a call: what its form always sends, and what its fields hold. A field that is left empty is
 * left out.
 * @param {HTMLFormElement} form
 * @returns {Record<string, unknown>}
 */
export function bodyOf(form) {
  /** @type {Record<string, unknown>} */
  const body = JSON.parse(form.dataset.send ?? '{}');
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
    if (field.name === '') continue;
    const value = valueIn(field, body);
    if (value !== undefined) put(body, field.name.split('.'), value);
  }
  return body;
}

/**
 * @param {HTMLInputElement | HTMLSelectElement} field
 * @param {Record<string, unknown>} body
 */
function valueIn(field, body) {
  const ticked = field instanceof HTMLInputElement && field.type === 'checkbox';
  const text = field.type === 'password' ? field.value : field.value.trim();
  switch (field.dataset.as) {
    case 'item': {
      const before = body[field.name];
      const items = Array.isArray(before) ? before : [];
      return ticked && field.checked ? [...items, text] : items;
    }
    case 'boolean':
      if (ticked) return field.checked || undefined;
      return text === '' ? undefined : text === 'true';
    case 'list':
      return text === '' ? undefined : text.split(',').map((word) => word.trim());
    case 'number':
      return text === '' ? undefined : numberOf(field, text);
    case 'cents':
      return text === '' ? undefined : centsOf(field, text);
    default:
      return text === '' ? undefined : text;
  }
}

/**
 * @param {HTMLInputElement | HTMLSelectElement} field
 * @param {string} text
 */
function numberOf(field, text) {
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new FieldError(`${labelOf(field)}: must be a number`);
}

/**
 * "1,999.00" is 199900; counted in digits, so that nothing is rounded.
 * @param {HTMLInputElement | HTMLSelectElement} field
 * @param {string} text
 */
function centsOf(field, text) {
  const match = /^\$?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/.exec(text);
  if (!match) throw new FieldError(`${labelOf(field)}: must be an amount such as 1,999.00`);
  const [, whole = '', part = ''] = match;
  return Number(whole.replaceAll(',', '') + part.padEnd(2, '0'));
}

/** @param {HTMLInputElement | HTMLSelectElement} field */
function labelOf(field) {
  return field.labels?.[0]?.textContent?.trim() ?? field.name;
}

/**
 * @param {Record<string, unknown>} body
 * @param {string[]} path
 * @param {unknown} value
 */
function put(body, [name = '', ...rest], value) {
  if (rest.length === 0) {
    body[name] = value;
    return;
  }
  const inner = /** @type {Record<string, unknown>} */ (body[name] ?? {});
  put(inner, rest, value);
  body[name] = inner;
}
