import fs from 'node:fs';
import path from 'node:path';
import { fillInventory } from '../src/market/inventory/fill-inventory.ts';
import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../src/sandbox.ts';
import { shippedTemplateName } from '../src/world/shipped-template.ts';
import { seedTemplate } from '../src/world/template.ts';

/** Writes the seeded default world beside the bundle that runs this. */
const file = path.join(import.meta.dirname, shippedTemplateName(DEFAULT_SEED, DEFAULT_INVENTORY));
fs.writeFileSync(file, seedTemplate(fillInventory, DEFAULT_SEED, DEFAULT_INVENTORY));
