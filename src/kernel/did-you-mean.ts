/** Returns " Did you mean X?" for the most similar candidate; empty if two or more letters, and over 40 %, differ. */
export function didYouMean(typed: string, candidates: readonly string[]): string {
  const word = typed.toLowerCase();
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate.toLowerCase());
    if (!best || distance < best.distance) best = { candidate, distance };
  }
  if (!best) return '';
  const maxDistance = Math.max(1, Math.floor(Math.max(typed.length, best.candidate.length) * 0.4));
  return best.distance <= maxDistance ? ` Did you mean ${best.candidate}?` : '';
}

/** Counts the letters to insert, delete, replace or swap with their neighbor. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      let distance = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1),
      );
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) distance = Math.min(distance, at(beforeLast, column - 2) + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
