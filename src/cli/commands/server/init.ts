import fs from 'node:fs';
import path from 'node:path';
import { CONFIG_FILE } from '../../../config/config-file.ts';
import { command } from '../../command.ts';
import { CheckFailedError } from '../../errors.ts';
import { flag, value } from '../../options.ts';
import { oneOf } from '../../parsers/values.ts';
import { CI_SERVICES, WORKFLOWS } from './workflows.ts';

const STARTER = `{
  "$schema": "./node_modules/sandlot/fixtures/config.schema.json",

  // Port to listen on. 0 selects a free port.
  "port": 4010,

  // The same seed and the same calls give the same responses. The seed sets the inventory, IDs and generated keys.
  "seed": "sandlot",
  "inventory": 5000,

  // Your own domains, as CSV or JSON Lines. They are imported into a new default world.
  "inventory_files": [
    // { "file": "inventory.csv", "environment": "LIVE" }
  ],

  // Freeze the clock at this time. By default, the clock runs with real time.
  // "frozen_at": "2026-01-05T09:00:00Z",

  // Requests per minute by class. false turns off all rate limits.
  // "rate_limits": { "search": 60, "write": 20, "reporting": 30, "default": 120 },

  // Credentials to create in addition to dmk_sandbox_local.
  "credentials": [
    // {
    //   "key_id": "dmk_sandbox_reports",
    //   "secret": "dms_sandbox_reports_not_a_secret",
    //   "partner": "local",
    //   "scopes": ["search", "report"]
    // }
  ],

  // Webhook URLs to register at the start.
  "webhooks": [
    // { "partner": "local", "url": "http://127.0.0.1:4020/", "secret": "whsec_local" }
  ],

  // Faults to inject into requests and webhooks. "sandlot faults add" takes the same fields.
  "faults": [
    // {
    //   "match": { "method": "POST", "path": "/orders", "every": 3 },
    //   "effect": { "code": "internal_error" }
    // },
    // { "match": { "event": "order.settled", "first": 1 }, "webhook": { "drop": true } }
  ]
}
`;

export const init = command('init', {
  summary: `Write a commented ${CONFIG_FILE}, or a CI workflow.`,
  details:
    'With --ci, writes .github/workflows/sandlot.yml or .gitlab-ci.yml instead: jobs that run `npm test` with a sandbox, in a project that has sandlot as a development dependency.',
  options: {
    ci: value('--ci <service>', CI_SERVICES.join(' or '), oneOf(CI_SERVICES)),
    force: flag('--force', 'Overwrite an existing file'),
  },
  examples: ['sandlot init', 'sandlot init --force', 'sandlot init --ci github'],
  async run({ io, options, out }) {
    const { file: name, text } = options.ci
      ? WORKFLOWS[options.ci]
      : { file: CONFIG_FILE, text: STARTER };
    const file = path.join(io.cwd, name);
    if (fs.existsSync(file) && !options.force) {
      throw new CheckFailedError(`${name} exists; pass --force to overwrite it`);
    }
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      throw new CheckFailedError(`cannot write ${name}: ${reason}`);
    }
    out.result({ file }, () => `Wrote ${name}`);
  },
});
