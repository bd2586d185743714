import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './sandlot-process.ts';

/** Other people's programs that use the package; `npm ci --prefix .ci/tools` installs them. */
export const TOOLS = path.join(ROOT, '.ci/tools/node_modules');

/** With CI set, a test that needs them fails without them. */
export const TOOLS_INSTALLED = Boolean(process.env.CI) || fs.existsSync(TOOLS);

if (!TOOLS_INSTALLED) {
  process.stderr.write('skipped: `npm ci --prefix .ci/tools` installs the programs of this test\n');
}
