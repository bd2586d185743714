import fs from 'node:fs';
import path from 'node:path';
import { commandsPage } from './commands-page.ts';

const file = path.join(import.meta.dirname, '../../docs/cli.md');
fs.writeFileSync(file, commandsPage());
