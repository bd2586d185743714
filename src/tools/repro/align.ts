/**
 * Returns the pairs of indexes of a longest common sequence, in order. Takes memory in proportion to the lengths
 * (Hirschberg).
 */
export function align(a: readonly string[], b: readonly string[]): [number, number][] {
  const numbers = new Map<string, number>();
  const numberOf = (text: string) => {
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  };
  const pairs: [number, number][] = [];
  collect(Int32Array.from(a, numberOf), Int32Array.from(b, numberOf), 0, 0, pairs);
  return pairs;
}

function collect(a: Int32Array, b: Int32Array, i: number, j: number, pairs: [number, number][]) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) {
    pairs.push([i + start, j + start]);
    start += 1;
  }
  let end = 0;
  const rest = Math.min(a.length, b.length) - start;
  while (end < rest && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const one = a.subarray(start, a.length - end);
  const other = b.subarray(start, b.length - end);
  if (one.length === 1) {
    const at = other.indexOf(one[0] ?? -1);
    if (at >= 0) pairs.push([i + start, j + start + at]);
  } else if (one.length > 1 && other.length > 0) {
    const middle = one.length >> 1;
    const before = lengths(one.subarray(0, middle), other);
    const after = lengths(one.slice(middle).reverse(), other.slice().reverse());
    let cut = 0;
    const sum = (at: number) => (before[at] ?? 0) + (after[other.length - at] ?? 0);
    for (let at = 1; at <= other.length; at += 1) if (sum(at) > sum(cut)) cut = at;
    collect(one.subarray(0, middle), other.subarray(0, cut), i + start, j + start, pairs);
    const [from, to] = [i + start + middle, j + start + cut];
    collect(one.subarray(middle), other.subarray(cut), from, to, pairs);
  }
  for (let n = end; n > 0; n -= 1) pairs.push([i + a.length - n, j + b.length - n]);
}

/** Lengths of the longest common sequence of `a` with each beginning of `b`. */
function lengths(a: Int32Array, b: Int32Array): Int32Array {
  let before = new Int32Array(b.length + 1);
  let row = new Int32Array(b.length + 1);
  for (const each of a) {
    for (let at = 0; at < b.length; at += 1) {
      row[at + 1] =
        b[at] === each ? (before[at] ?? 0) + 1 : Math.max(before[at + 1] ?? 0, row[at] ?? 0);
    }
    [before, row] = [row, before];
  }
  return before;
}
