import avoid from '../../../fixtures/lexicon/avoid.json' with { type: 'json' };

const brands: ReadonlySet<string> = new Set(avoid.brands.join(' ').split(' '));

/** Rude fragments. The file spells them backwards. */
const fragments = avoid.backwards
  .join(' ')
  .split(' ')
  .map((word) => [...word].reverse().join(''));

const anyFragment = new RegExp(fragments.join('|'));

interface Cut {
  before: string;
  after: string;
}

/** All splits of rude fragments into two parts, by the two letters at the split. */
const cutsByLetters: Cut[][] = [];
for (const fragment of fragments) {
  for (let cut = 1; cut < fragment.length; cut++) {
    const letters = pairOf(fragment.charCodeAt(cut - 1), fragment.charCodeAt(cut));
    cutsByLetters[letters] ??= [];
    cutsByLetters[letters].push({ before: fragment.slice(0, cut), after: fragment.slice(cut) });
  }
}

export function isBrand(label: string): boolean {
  return brands.has(label);
}

/** Whether an invented name contains a rude fragment. Not for real words, such as "class". */
export function containsRudeFragment(label: string): boolean {
  return anyFragment.test(label);
}

/**
 * Whether two words can be joined without a space: they do not repeat a letter or a word, and there is no rude fragment
 * where they meet.
 */
export function canBeJoined(left: string, right: string): boolean {
  const last = left.charCodeAt(left.length - 1);
  const first = right.charCodeAt(0);
  if (last === first || beginAlike(left, right)) return false;
  const cuts = cutsByLetters[pairOf(last, first)];
  return !cuts?.some(({ before, after }) => left.endsWith(before) && right.startsWith(after));
}

/** Whether the first four letters are the same, or all letters of a shorter word: "farm" and "farmers". */
function beginAlike(left: string, right: string): boolean {
  if (left.charCodeAt(0) !== right.charCodeAt(0)) return false;
  const letters = Math.min(4, left.length, right.length);
  return left.slice(0, letters) === right.slice(0, letters);
}

function pairOf(left: number, right: number): number {
  return left * 128 + right;
}
