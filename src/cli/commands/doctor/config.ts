import fs from 'node:fs';
import path from 'node:path';
import { CONFIG_FILE } from '../../../config/config-file.ts';
import { readConfig } from '../../../config/read-config.ts';
import type { Config } from '../../../config/schema.ts';
import { broken, type Finding, fine, messageOf } from './finding.ts';

/**
 * Whether the configuration file can be used.
 * @returns with what it says, nothing where it cannot be read
 */
export function checkConfig(
  cwd: string,
  given: string | undefined,
): { finding: Finding; config: Config } {
  const file = path.resolve(cwd, given ?? CONFIG_FILE);
  if (given === undefined && !fs.existsSync(file)) {
    return { finding: fine('config', `no ${CONFIG_FILE} here; defaults hold`), config: {} };
  }
  try {
    const config = readConfig(file);
    const missing = (config.inventory_files ?? []).find((each) => !fs.existsSync(each.file));
    if (!missing) return { finding: fine('config', `${file} is valid`), config };
    const detail = `${file}: inventory_files names ${missing.file}, which is not there`;
    return {
      finding: broken('config', detail, 'put the file there, or take the entry out'),
      config,
    };
  } catch (error) {
    const hint = 'mend that line; "sandlot init --force" writes a commented one to start from';
    return { finding: broken('config', messageOf(error), hint), config: {} };
  }
}
