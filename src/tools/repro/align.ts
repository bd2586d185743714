/** A recording has no more than a few chunks of calls. The table of a chunk against another takes 8 MB. */
const CHUNK = 2_000;

/** Returns the pairs of indexes of a longest common sequence, in order; of longer sequences, chunk by chunk. */
export function align(a: readonly string[], b: readonly string[]): [number, number][] {
  const pairs: [number, number][] = [];
  let start = 0;
  for (; start < a.length && a[start] === b[start]; start += 1) pairs.push([start, start]);
  for (; start < Math.min(a.length, b.length); start += CHUNK) {
    const end = start + CHUNK;
    for (const [i, j] of alignChunk(a.slice(start, end), b.slice(start, end))) {
      pairs.push([start + i, start + j]);
    }
  }
  return pairs;
}

function alignChunk(a: readonly string[], b: readonly string[]): [number, number][] {
  // The length of the longest common sequence from `i` and `j` on.
  const lengths = a.map(() => new Uint16Array(b.length + 1));
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = lengths[i] ?? new Uint16Array();
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] =
        a[i] === b[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), row[j + 1] ?? 0);
    }
  }
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
