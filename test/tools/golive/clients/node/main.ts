// npx sandlot exec --golive golive.html -- node test/tools/golive/clients/node/main.ts
import { runTests } from './suite.ts';

const {
  SANDLOT_URL: url = '',
  SANDLOT_KEY_ID: keyId = '',
  SANDLOT_SECRET: secret = '',
} = process.env;
const failed = await runTests({ url, keyId, secret });
for (const line of failed) process.stderr.write(`not ok ${line}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
