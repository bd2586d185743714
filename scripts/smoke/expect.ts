export function expect(truth: boolean, otherwise: string): asserts truth {
  if (!truth) throw new Error(`smoke: ${otherwise}`);
}
