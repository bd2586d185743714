import fs from 'node:fs';
import path from 'node:path';
import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../src/market/defaults.ts';
import { seedInventory } from '../src/market/inventory/seed-inventory.ts';
import { seedTemplate, shippedTemplateName } from '../src/world/templates.ts';

/** Writes the seeded default world beside the bundle that runs this. */
const file = path.join(import.meta.dirname, shippedTemplateName(DEFAULT_SEED, DEFAULT_INVENTORY));
fs.writeFileSync(file, seedTemplate(DEFAULT_SEED, DEFAULT_INVENTORY, seedInventory));
