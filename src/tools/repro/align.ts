/** A recording has no more calls. Memory for a chunk against another is 12 MB. */
const CHUNK = 10_000;

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

/** Computes a row of the table of lengths at once (Hyyrö 2004): a zero says that the length grows with that element of `b`. */
function alignChunk(a: readonly string[], b: readonly string[]): [number, number][] {
  const matches = new Map<string, bigint>();
  for (const [j, key] of b.entries()) {
    matches.set(key, (matches.get(key) ?? 0n) | (1n << BigInt(j)));
  }
  let row = (1n << BigInt(b.length)) - 1n;
  const rows = a.map((key) => {
    const matching = row & (matches.get(key) ?? 0n);
    row = BigInt.asUintN(b.length, (row + matching) | (row - matching));
    return row;
  });
  const grows = (i: number, j: number) => ((rows[i] ?? -1n) >> BigInt(j)) % 2n === 0n;
  const pairs: [number, number][] = [];
  let [i, j] = [a.length - 1, b.length - 1];
  while (i >= 0 && j >= 0) {
    if (a[i] === b[j]) pairs.push([i--, j--]);
    else if (grows(i, j)) i -= 1;
    else j -= 1;
  }
  return pairs.reverse();
}
