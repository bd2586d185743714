// Builds sandlot as one executable file: Node.js with the package inside. Expects a build.
// Usage: node scripts/binary/build.ts [--platform linux-arm64] [--out FOLDER]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { fetchNode, HOST, hostNode, type NodeBinary } from './node-binary.ts';
import { findRuntime, RUNTIMES } from './runtimes.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FETCHED = path.join(ROOT, 'node_modules/.cache/sandlot-node');
/** Marks the byte in Node.js that says whether it contains an application. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const { values } = parseArgs({
  options: {
    platform: { type: 'string', default: HOST },
    out: { type: 'string', default: path.join(ROOT, 'release') },
  },
});
const { platform } = values;
const isWindows = platform.startsWith('win32');
const isMac = platform.startsWith('darwin');

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-binary-'));
try {
  await build();
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}

async function build(): Promise<void> {
  const node = nodeFor(platform);
  const license = node.license ?? licenseOf(node.version);
  const folder = path.join(path.resolve(values.out), platform);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const executable = path.join(folder, isWindows ? 'sandlot.exe' : 'sandlot');

  const files = { ...packageFiles(), 'LICENSE.node': license };
  const blob = await makeBlob(files, blobMaker(node.version));
  fs.copyFileSync(node.file, executable);
  fs.chmodSync(executable, 0o755);
  prepare(executable);
  inject(executable, blob);
  const notes = sign(executable);

  for (const name of ['LICENSE', 'THIRD-PARTY-NOTICES.txt']) {
    fs.copyFileSync(path.join(ROOT, name), path.join(folder, name));
  }
  fs.copyFileSync(license, path.join(folder, 'LICENSE.node'));
  const sum = createHash('sha256').update(fs.readFileSync(executable)).digest('hex');
  fs.writeFileSync(path.join(folder, 'SHA256SUMS'), `${sum}  ${path.basename(executable)}\n`);
  const megabytes = Math.round(fs.statSync(executable).size / 1e6);
  console.log(
    `${path.relative(process.cwd(), executable)}: ${megabytes} MB, Node.js ${node.version}${notes}`,
  );
}

function nodeFor(wanted: string): NodeBinary {
  const runtime = findRuntime(wanted);
  if (wanted === HOST && (!runtime || runtime.version === process.versions.node)) return hostNode();
  if (runtime) return fetchNode(runtime, FETCHED);
  const known = [...new Set([HOST, ...RUNTIMES.map((each) => each.platform)])].join(', ');
  throw new Error(`--platform: no Node.js for ${wanted}; expected one of ${known}`);
}

/** Returns a Node.js of this machine with the version of the executable: a blob of another version crashes it. */
function blobMaker(version: string): NodeBinary {
  if (version === process.versions.node) return hostNode();
  const runtime = findRuntime(HOST, version);
  if (!runtime) throw new Error(`--platform: ${platform} needs Node.js ${version} on ${HOST}`);
  return fetchNode(runtime, FETCHED);
}

/** Some packages lack the license; the same version for another platform has it. */
function licenseOf(version: string): string {
  for (const runtime of RUNTIMES.filter((each) => each.version === version)) {
    const { license } = fetchNode(runtime, FETCHED);
    if (license) return license;
  }
  throw new Error(`Node.js ${version} comes without a license text`);
}

/** Returns the files of the package that the command line needs, by path. */
function packageFiles(): Record<string, string> {
  const prebuild = `prebuilds/${platform}.node`;
  const dist = fs
    .readdirSync(path.join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
    .map((name) => `dist/${name.replaceAll(path.sep, '/')}`)
    .filter((name) => !/^dist\/(?:types\/|index\.)/.test(name));
  const fixtures = ['lexicon', 'snippets', 'templates'].flatMap((folder) =>
    fs.readdirSync(path.join(ROOT, 'fixtures', folder)).map((name) => `fixtures/${folder}/${name}`),
  );
  const docs = fs
    .readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const others = [
    'package.json',
    'LICENSE',
    'THIRD-PARTY-NOTICES.txt',
    'bin/code-cache.cjs',
    'bin/sandlot.cjs',
    'bin/supported.cjs',
  ];
  const names = [...others, prebuild, ...fixtures, ...docs, ...dist].filter((name) =>
    fs.statSync(path.join(ROOT, name)).isFile(),
  );
  return Object.fromEntries(names.sort().map((name) => [name, path.join(ROOT, name)]));
}

async function makeBlob(files: Record<string, string>, maker: NodeBinary): Promise<string> {
  const at = (name: string) => path.join(scratch, name);
  const digest = createHash('sha256');
  for (const [name, file] of Object.entries(files)) {
    digest.update(`${name}\0${fs.statSync(file).size}\0`).update(fs.readFileSync(file));
  }
  fs.writeFileSync(at('digest'), digest.digest('hex'));
  const bundle = await rolldown({
    input: path.join(import.meta.dirname, 'boot.ts'),
    platform: 'node',
    external: [/^node:/],
  });
  await bundle.write({ file: at('boot.cjs'), format: 'cjs', minify: true });
  await bundle.close();
  const assets = Object.entries(files).map(([name, file]) => [`app/${name}`, file]);
  const config = {
    main: at('boot.cjs'),
    output: at('sea.blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    // The executable ignores NODE_OPTIONS, which are for the programs of the user.
    execArgvExtension: 'none',
    assets: { digest: at('digest'), ...Object.fromEntries(assets) },
  };
  fs.writeFileSync(at('sea-config.json'), JSON.stringify(config));
  execFileSync(maker.file, ['--experimental-sea-config', at('sea-config.json')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return config.output;
}

/**
 * Strips the executable and removes its signature, which the injection invalidates. Stripping after the injection
 * breaks it.
 */
function prepare(executable: string): void {
  if (platform === HOST && !isWindows && !isMac) attempt('strip', [executable]);
  if (isMac) attempt('codesign', ['--remove-signature', executable]);
}

function inject(executable: string, blob: string): void {
  const postject = path.join(ROOT, 'node_modules/postject/dist/cli.js');
  const args = [executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE];
  if (isMac) args.push('--macho-segment-name', 'NODE_SEA');
  execFileSync(process.execPath, [postject, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Signs the executable if possible. @returns what is left to do */
function sign(executable: string): string {
  if (isMac && !attempt('codesign', ['--sign', '-', executable])) {
    return '; unsigned, run `codesign --sign - sandlot` on a Mac';
  }
  return isWindows ? '; unsigned' : '';
}

function attempt(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
