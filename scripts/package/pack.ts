import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { replaceLinks } from './markdown-links.ts';

/** Fields of package.json that only the repository needs. */
const REPOSITORY_ONLY = ['private', 'scripts', 'devDependencies', 'allowScripts'];

/**
 * Packs the files that package.json lists, without what only the repository needs.
 * @returns the path of the tarball in `out`, and its size in bytes
 */
export function pack(root: string, out: string): { file: string; size: number } {
  const stage = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-pack-'));
  try {
    const [listed] = npmPack(root, ['--dry-run']);
    const names: string[] = listed.files.map((file: { path: string }) => file.path);
    for (const name of names) {
      fs.mkdirSync(path.dirname(path.join(stage, name)), { recursive: true });
      fs.copyFileSync(path.join(root, name), path.join(stage, name));
    }
    const repository = publicRepository(root);
    writeManifest(root, stage, repository);
    const isShipped = (file: string) =>
      names.includes(file) || names.some((name) => name.startsWith(`${file.replace(/\/$/, '')}/`));
    for (const name of names.filter((each) => each.endsWith('.md'))) {
      const file = path.join(stage, name);
      const text = fs.readFileSync(file, 'utf8');
      fs.writeFileSync(file, replaceLinks(name, text, isShipped, repository));
    }
    const [packed] = npmPack(stage, ['--pack-destination', path.resolve(out)]);
    return { file: path.join(out, packed.filename), size: packed.size };
  } finally {
    fs.rmSync(stage, { recursive: true, force: true });
  }
}

function writeManifest(root: string, stage: string, repository: string | undefined): void {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const field of REPOSITORY_ONLY) delete manifest[field];
  if (repository) manifest.repository = { type: 'git', url: `git+${repository}.git` };
  fs.writeFileSync(path.join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Returns the web address of the origin of the clone, if it has one. */
function publicRepository(root: string): string | undefined {
  try {
    const origin = execFileSync('git', ['remote', 'get-url', 'origin'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const match = /^(?:https:\/\/|(?:ssh:\/\/)?git@)([\w.-]+\.\w+)[:/](.+?)(?:\.git)?$/.exec(
      origin.trim(),
    );
    return match ? `https://${match[1]}/${match[2]}` : undefined;
  } catch {
    return undefined;
  }
}

function npmPack(folder: string, args: string[]) {
  const output = execFileSync('npm', ['pack', '--json', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(output);
}
