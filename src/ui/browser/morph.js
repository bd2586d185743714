/**
 * Makes an element equal to another one and changes only what differs, so that focus, selection, typed text and open
 * details stay. `data-key` identifies an element that moved; the content of `data-keep` is left alone.
 * @param {Element} from element of the page
 * @param {Element} to loses its children
 */
export function morph(from, to) {
  if (from.isEqualNode(to) || from.hasAttribute('data-keep')) return;
  if (from.nodeName !== to.nodeName) {
    from.replaceWith(to);
    return;
  }
  morphAttributes(from, to);
  morphChildren(from, to);
}

/** @param {Element} from @param {Element} to */
function morphAttributes(from, to) {
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    // The reader opened it.
    if (name === 'open' || to.hasAttribute(name)) continue;
    from.removeAttribute(name);
  }
}

/** @param {Element} from @param {Element} to */
function morphChildren(from, to) {
  const byKey = new Map(
    [...from.children].flatMap((child) => (keyOf(child) ? [[keyOf(child), child]] : [])),
  );
  let here = from.firstChild;
  for (const next of [...to.childNodes]) {
    const key = keyOf(next);
    const match = key === undefined ? likeAt(here, next) : byKey.get(key);
    if (match === undefined) {
      from.insertBefore(next, here);
      continue;
    }
    if (match === here) here = here.nextSibling;
    else from.insertBefore(match, here);
    if (match instanceof Element && next instanceof Element) morph(match, next);
    else if (match.nodeValue !== next.nodeValue) match.nodeValue = next.nodeValue;
  }
  while (here) {
    const after = here.nextSibling;
    here.remove();
    here = after;
  }
}

/**
 * Returns the node at this place, if it can become `next`.
 * @param {ChildNode | null} here
 * @param {ChildNode} next
 */
function likeAt(here, next) {
  const like = here !== null && keyOf(here) === undefined && here.nodeName === next.nodeName;
  return like ? here : undefined;
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof HTMLElement ? node.dataset.key : undefined;
}
