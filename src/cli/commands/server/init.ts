import fs from 'node:fs';
import path from 'node:path';
import { CONFIG_FILE } from '../../../config/config-file.ts';
import { defineCommand } from '../../command.ts';
import { flag } from '../../declare.ts';
import { CheckFailedError } from '../../failures.ts';

const STARTER = `{
  "$schema": "./node_modules/sandlot/fixtures/config.schema.json",

  // Where it listens; 0 picks a free port.
  "port": 4010,

  // Same seed, same calls, same answers: it decides inventory, ids and minted keys.
  "seed": "sandlot",
  "inventory": 5000,

  // Listings of your own, CSV or JSON Lines, imported when the default world is fresh.
  "inventory_files": [
    // { "file": "inventory.csv", "environment": "LIVE" }
  ],

  // Stand still at this sandbox time; without it the clock runs with real time.
  // "frozen_at": "2026-01-05T09:00:00Z",

  // Requests per minute by class; false lifts every limit.
  // "rate_limits": { "search": 60, "write": 20, "reporting": 30, "default": 120 },

  // Credentials that always exist, beside dmk_sandbox_local.
  "credentials": [
    // {
    //   "key_id": "dmk_sandbox_reports",
    //   "secret": "dms_sandbox_reports_not_a_secret",
    //   "partner": "local",
    //   "scopes": ["search", "report"]
    // }
  ],

  // Webhook urls that are registered from the start.
  "webhooks": [
    // { "partner": "local", "url": "http://127.0.0.1:4020/", "secret": "whsec_local" }
  ],

  // Calls and webhooks that go wrong on purpose, as with: sandlot faults add
  "faults": [
    // {
    //   "match": { "method": "POST", "path": "/orders", "every": 3 },
    //   "effect": { "code": "internal_error" }
    // },
    // { "match": { "event": "order.settled", "first": 1 }, "webhook": { "drop": true } }
  ]
}
`;

export const init = defineCommand({
  path: 'init',
  summary: `Write a commented ${CONFIG_FILE} to start from.`,
  options: { force: flag('--force', 'replace the one that is there') },
  examples: ['sandlot init', 'sandlot init --force'],
  async run({ io, options, out }) {
    const file = path.join(io.cwd, CONFIG_FILE);
    if (fs.existsSync(file) && !options.force) {
      throw new CheckFailedError(`${CONFIG_FILE} exists already; --force replaces it`);
    }
    try {
      fs.writeFileSync(file, STARTER);
    } catch (error) {
      throw new CheckFailedError(
        `${CONFIG_FILE} cannot be written: ${error instanceof Error ? error.message : error}`,
      );
    }
    out.result({ file }, () => `wrote ${CONFIG_FILE}`);
  },
});
