import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/** A browser that may start on this machine. */
interface Candidate {
  name: string;
  executablePath: string;
  env?: Record<string, string>;
}

const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Tests may run as root, without a sandbox. Few processes serve all tabs, and the browser does not use the network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--renderer-process-limit=1',
  '--process-per-site',
  '--disable-site-isolation-trials',
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2',
];

const shared = globalThis as typeof globalThis & {
  sandlotTestBrowser?: Promise<Browser | undefined>;
  /** Of Vitest. It waits for the listeners before it ends the worker, which it kills after half a second. */
  __vitest_worker__: { onCleanup(listener: () => Promise<void>): void };
};

/**
 * Starts the browser that all test files of a worker share. It is closed before the worker ends.
 * @returns undefined, with a message, if no browser starts
 * @throws Error if none starts in CI
 */
export function startBrowser(): Promise<Browser | undefined> {
  shared.sandlotTestBrowser ??= launch();
  return shared.sandlotTestBrowser;
}

/** Launches `CHROMIUM_PATH`, the browser of a devDependency, which has no window and takes half the time, or one of the system. */
async function launch(): Promise<Browser | undefined> {
  const tried: string[] = [];
  for (const find of [givenPath, packaged, onSystem]) {
    try {
      for (const { name, executablePath, env } of await find()) {
        const options = { executablePath, args: FLAGS, ...(env && { env }) };
        const browser = await chromium.launch(options).catch((error: unknown) => {
          tried.push(`${name}: ${String(error).split('\n')[0]}`);
        });
        if (!browser) continue;
        // A browser that is killed while it closes leaves its profile in the temporary folder.
        shared.__vitest_worker__.onCleanup(() => browser.close());
        return browser;
      }
    } catch (error) {
      tried.push(`${find.name}: ${String(error).split('\n')[0]}`);
    }
  }
  const problem = `no browser starts: ${tried.join('; ')}`;
  if (process.env.CI) throw new Error(problem);
  process.stderr.write(`skipped: ${problem}\n`);
  return undefined;
}

function givenPath(): Candidate[] {
  const executablePath = process.env.CHROMIUM_PATH;
  return executablePath ? [{ name: 'CHROMIUM_PATH', executablePath }] : [];
}

function onSystem(): Candidate[] {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute);
  return SYSTEM_NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .filter((file) => fs.existsSync(file))
    .map((executablePath) => ({ name: executablePath, executablePath }));
}

/** The browser of a devDependency, for Linux x64, with the libraries and the font that a bare machine lacks. */
async function packaged(): Promise<Candidate[]> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return [];
  const folder = await unpacked();
  const executablePath = path.join(folder, 'chromium');
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: path.join(folder, 'al2023/lib'),
    FONTCONFIG_FILE: configureFonts(folder),
  };
  return [
    { name: 'packaged, with its libraries', executablePath, env },
    { name: 'packaged, with those of the system', executablePath },
  ];
}

/**
 * Writes a font configuration that names the unpacked font; that of the package names folders of the system, and
 * without a font the browser ends. Written at each start, because the installation may have moved.
 */
function configureFonts(folder: string): string {
  const file = path.join(folder, 'sandlot-fonts.conf');
  const draft = `${file}.${process.pid}`;
  const element = (name: string, subfolder: string) =>
    `<${name}>${path.join(folder, subfolder).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`;
  fs.writeFileSync(
    draft,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  ${element('dir', 'fonts/fonts')}
  ${element('cachedir', 'fonts-cache')}
</fontconfig>
`,
  );
  // Another worker may be reading it.
  fs.renameSync(draft, file);
  return file;
}

/** Unpacks once per installation. Another run may do the same, so the folder appears complete. */
async function unpacked(): Promise<string> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const home = path.dirname(path.dirname(entry));
  const { version } = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8')) as {
    version: string;
  };
  const cache = path.join(home, '../../.cache');
  const folder = path.join(cache, `sandlot-chromium-${version}`);
  if (fs.existsSync(folder)) return folder;
  fs.mkdirSync(cache, { recursive: true });
  const fresh = fs.mkdtempSync(path.join(cache, 'unpacking-'));
  // In another process, because the package unpacks into TMPDIR.
  const script = `import(${JSON.stringify(entry)}).then(async ({ default: it, inflate }) => {
    await it.executablePath();
    await inflate(${JSON.stringify(path.join(home, 'bin/al2023.tar.br'))});
  })`;
  const env = { ...process.env, TMPDIR: fresh };
  await promisify(execFile)(process.execPath, ['-e', script], { env });
  try {
    fs.renameSync(fresh, folder);
  } catch {
    fs.rmSync(fresh, { recursive: true });
  }
  return folder;
}
