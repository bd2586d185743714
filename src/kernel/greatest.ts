/** Returns the greatest number, or `least` if all are smaller. A call cannot take an array of any length as arguments. */
export function greatest(numbers: readonly number[], least = 0): number {
  return numbers.reduce((max, number) => Math.max(max, number), least);
}
