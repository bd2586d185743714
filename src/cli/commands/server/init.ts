import fs from 'node:fs';
import path from 'node:path';
import { CONFIG_FILE } from '../../../config/config-file.ts';
import { describeFileError } from '../../../kernel/file-errors.ts';
import { readFixture } from '../../../kernel/fixture.ts';
import { command } from '../../command.ts';
import { CheckFailedError, UsageError } from '../../errors.ts';
import { flag, value } from '../../options.ts';
import { oneOf } from '../../parsers/values.ts';

/** A file that `init` writes, and its text: a file of `fixtures/templates`. */
function template(file: string, name: string) {
  return { file, text: () => readFixture(`templates/${name}`) };
}

const CONFIG = template(CONFIG_FILE, 'sandlot.config.jsonc');

/** Workflows that run a test suite with a sandbox, by CI service. */
export const WORKFLOWS = {
  github: template('.github/workflows/sandlot.yml', 'github.yml'),
  gitlab: template('.gitlab-ci.yml', 'gitlab.yml'),
};
export const CI_SERVICES = Object.keys(WORKFLOWS) as (keyof typeof WORKFLOWS)[];

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
    const { file: name, text } = options.ci ? WORKFLOWS[options.ci] : CONFIG;
    const file = path.join(io.cwd, name);
    if (fs.existsSync(file) && !options.force) {
      throw new UsageError(`${name} exists; pass --force to overwrite it`);
    }
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text());
    } catch (error) {
      throw new CheckFailedError(
        `cannot write ${name}: ${describeFileError(error, 'folder not found')}`,
      );
    }
    out.result({ file }, () => `Wrote ${name}`);
  },
});
