import { seedTemplate } from '../../world/templates.ts';

/** Returns the bytes of a newly seeded database. 20,000 domains take about a second, during which nothing else runs. */
export async function seedDatabase(seed: string, inventory: number): Promise<Buffer> {
  // A start with the shipped world does not need the word lists.
  const { seedInventory } = await import('./seed-inventory.ts');
  return seedTemplate(seedInventory, seed, inventory);
}
