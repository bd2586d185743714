import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Runtime } from './runtimes.ts';

/** A Node.js binary with its license. */
export interface NodeBinary {
  version: string;
  file: string;
  license: string | undefined;
}

export const HOST = `${process.platform}-${process.arch}`;

/** The Node.js that runs this script. */
export function hostNode(): NodeBinary {
  const file = fs.realpathSync(process.execPath);
  const license = ['../LICENSE', '../share/doc/node/LICENSE', '../share/doc/nodejs/copyright']
    .map((name) => path.resolve(path.dirname(file), name))
    .find((name) => fs.existsSync(name));
  return { version: process.versions.node, file, license };
}

/** Downloads a runtime from the npm registry, verifies its checksum and stores it in `folder`. */
export function fetchNode(runtime: Runtime, folder: string): NodeBinary {
  const home = path.join(folder, `${runtime.package}-${runtime.version}`);
  if (!fs.existsSync(home)) {
    fs.mkdirSync(folder, { recursive: true });
    const scratch = fs.mkdtempSync(path.join(folder, 'new-'));
    const spec = `${runtime.package}@${runtime.version}`;
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', scratch, spec], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        shell: process.platform === 'win32',
      }),
    );
    const tarball = path.join(scratch, packed.filename);
    const digest = createHash('sha512').update(fs.readFileSync(tarball)).digest('base64');
    if (`sha512-${digest}` !== runtime.integrity) {
      fs.rmSync(scratch, { recursive: true });
      throw new Error(`${spec}: the registry's file differs from the expected one`);
    }
    execFileSync('tar', ['-xzf', tarball, '-C', scratch]);
    fs.renameSync(path.join(scratch, 'package'), home);
    fs.rmSync(scratch, { recursive: true });
  }
  const inside = (name: string) => path.join(home, name);
  const file = inside(runtime.platform.startsWith('win32') ? 'bin/node.exe' : 'bin/node');
  fs.chmodSync(file, 0o755);
  const license = inside('LICENSE');
  return {
    version: runtime.version,
    file,
    license: fs.existsSync(license) ? license : undefined,
  };
}
