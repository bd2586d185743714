/** 5000 → "5,000". Without `Intl`, whose first use is slow. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1 event", "2,000 addresses". */
export function countOf(count: number, noun: string): string {
  const plural = noun.endsWith('s') ? `${noun}es` : `${noun}s`;
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}
