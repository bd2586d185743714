/**
 * Makes the body of a call: the fields in `data-send`, which a form always sends, every checkbox, and the other fields
 * that are filled in. The browser has validated them. `data-as` says how a control is read (`ui/form.tsx`). Checkboxes
 * that are an `item` make one list, which may be empty; others are true or false.
 * @param {HTMLFormElement} form
 * @returns {Record<string, unknown>}
 */
export function bodyOf(form) {
  /** @type {Record<string, any>} */
  const body = JSON.parse(form.dataset.send ?? '{}');
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
    if (field.name === '') continue;
    const path = field.name.split('.');
    const name = path.pop() ?? '';
    const value = readField(field);
    const isItem = field.dataset.as === 'item';
    if (value === undefined && !isItem) continue;
    // A fault has fields in objects: `match.path`.
    const object = path.reduce((outer, part) => (outer[part] ??= {}), body);
    object[name] = isItem ? [object[name] ?? [], value ?? []].flat() : value;
  }
  return body;
}

/** @param {HTMLInputElement | HTMLSelectElement} field @returns {unknown} undefined for an empty field */
function readField(field) {
  if (field.type === 'checkbox' && field instanceof HTMLInputElement) {
    if (field.dataset.as !== 'item') return field.checked;
    return field.checked ? field.value : undefined;
  }
  const text = field.type === 'password' ? field.value : field.value.trim();
  if (text === '') return undefined;
  if (field.dataset.as === 'cents') return Math.round(Number(text) * 100);
  if (field.dataset.as === 'list') return text.split(/\s*,\s*/).filter((word) => word !== '');
  return field.type === 'number' ? Number(text) : text;
}
