import fs from 'node:fs';
import path from 'node:path';
import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../src/market/inventory/default-inventory.ts';
import { seedInventory } from '../src/market/inventory/seed-inventory.ts';
import { shippedTemplateName } from '../src/world/shipped-template.ts';
import { seedTemplate } from '../src/world/template.ts';

/** Writes the seeded default world beside the bundle that runs this. */
const file = path.join(import.meta.dirname, shippedTemplateName(DEFAULT_SEED, DEFAULT_INVENTORY));
fs.writeFileSync(file, seedTemplate(seedInventory, DEFAULT_SEED, DEFAULT_INVENTORY));
