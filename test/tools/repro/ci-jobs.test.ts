import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../../support/documents.ts';
import { BIN, emptyDirectory, ROOT } from '../../support/sandlot-process.ts';

const TOOLS = path.join(ROOT, '.ci/tools');
const hasTools = fs.existsSync(path.join(TOOLS, 'node_modules'));
/** A skip is a failure in CI, which installs them. */
const withTools = test.skipIf(!hasTools && !process.env.CI);

/** A job of either service. */
interface Job {
  steps?: { run?: string }[];
  script?: string[];
  env?: Record<string, string>;
  variables?: Record<string, string>;
}

const guide = fs.readFileSync(path.join(ROOT, 'docs/ci.md'), 'utf8');
const [github = '', gitlab = ''] = blocksOf(guide, 'yaml');

function jobs(service: string): Record<string, Job> {
  const { parse } = createRequire(path.join(TOOLS, 'package.json'))('yaml');
  const document = parse(service === 'github' ? github : gitlab);
  const { stages: _, default: _default, ...own } = document;
  return service === 'github' ? document.jobs : own;
}

function scriptOf({ script, steps }: Job = {}): string {
  const commands = script ?? steps?.flatMap(({ run }) => run?.split(' && ') ?? []) ?? [];
  return commands.filter((command) => !command.startsWith('npm ci')).join('\n');
}

withTools(
  'the jobs for GitHub and GitLab give a test suite a sandbox, with the same commands',
  () => {
    const [forGithub, forGitlab] = ['github', 'gitlab'].map(jobs);
    for (const all of [forGithub, forGitlab]) {
      expect(Object.keys(all ?? {})).toEqual(['test', 'steps']);
      const environment = all?.steps?.env ?? all?.steps?.variables ?? {};
      expect(Object.keys(environment)).toEqual(['SANDLOT_URL', 'SANDLOT_KEY_ID', 'SANDLOT_SECRET']);
    }
    const script = scriptOf(forGithub?.test);
    expect(scriptOf(forGitlab?.test)).toBe(script);
    expect(script).toContain('npx sandlot exec');
    const cwd = projectWithSandlot();
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', script], { cwd, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('tested with dmk_sandbox_local');
  },
);

withTools('the workflow for GitHub is valid', () => {
  const file = path.join(emptyDirectory(), 'workflow.yml');
  const bin = path.join(TOOLS, 'node_modules/.bin/action-validator');
  const validate = (workflow: string) => {
    fs.writeFileSync(file, workflow);
    return spawnSync(process.execPath, [bin, file], { encoding: 'utf8' });
  };
  expect(validate(github)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(validate(github.replace('runs-on', 'runs-in')).status).not.toBe(0);
});

/** A project with sandlot as a development dependency, whose test is a signed request. */
function projectWithSandlot(): string {
  const cwd = emptyDirectory();
  const bin = path.join(cwd, 'node_modules/.bin');
  fs.mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`;
  fs.writeFileSync(path.join(bin, 'sandlot'), script, { mode: 0o755 });
  const request = 'sandlot request GET /api/partner/v1/domains/search?q=coffee';
  const scripts = { test: `${request} && echo tested with $SANDLOT_KEY_ID $SANDLOT_SECRET` };
  fs.writeFileSync(path.join(cwd, 'package.json'), JSON.stringify({ private: true, scripts }));
  return cwd;
}
