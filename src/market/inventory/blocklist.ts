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

/** All splits of rude fragments into two parts, by the letters on either side. */
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

/** Whether an invented name contains a rude fragment. Real words may: "class". */
export function soundsRude(label: string): boolean {
  return anyFragment.test(label);
}

/**
 * Whether two words can be joined without a space: no doubled letter, no repeated word and no rude fragment where they
 * meet.
 */
export function joinWell(left: string, right: string): boolean {
  const last = left.charCodeAt(left.length - 1);
  const first = right.charCodeAt(0);
  if (last === first || beginAlike(left, right)) return false;
  const cuts = cutsByLetters[pairOf(last, first)];
  return !cuts?.some(({ before, after }) => left.endsWith(before) && right.startsWith(after));
}

/** "farm" and "farmers": the first four letters are the same, or all of a shorter word. */
function beginAlike(left: string, right: string): boolean {
  if (left.charCodeAt(0) !== right.charCodeAt(0)) return false;
  const letters = Math.min(4, left.length, right.length);
  return left.slice(0, letters) === right.slice(0, letters);
}

function pairOf(left: number, right: number): number {
  return left * 128 + right;
}
