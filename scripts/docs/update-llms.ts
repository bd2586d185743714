import fs from 'node:fs';
import path from 'node:path';
import { llmsText } from './llms.ts';

fs.writeFileSync(path.join(import.meta.dirname, '../../llms.txt'), llmsText());
