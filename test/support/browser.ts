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

/** Characters of the output of a browser that a message quotes. */
const MAX_OUTPUT = 1000;

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
  sandlotTestBrowser?: Promise<TestBrowser | undefined>;
  /** Of Vitest. It waits for the listeners before it ends the worker, which it kills after half a second. */
  __vitest_worker__: { onCleanup(listener: () => Promise<void>): void };
};

/**
 * Starts the browser that all test files of a worker share. It is closed before the worker ends.
 * @returns undefined, with a message, if no browser starts
 * @throws Error if none starts in CI
 */
export function startBrowser(): Promise<TestBrowser | undefined> {
  shared.sandlotTestBrowser ??= TestBrowser.start();
  return shared.sandlotTestBrowser;
}

/** A browser that starts again, once, after it ended. */
export class TestBrowser {
  #process: BrowserProcess;
  #restarts = 0;
  readonly #warn: (message: string) => void;

  private constructor(started: BrowserProcess, warn: (message: string) => void) {
    this.#process = started;
    this.#warn = warn;
  }

  /** Starts a browser that nobody else uses. @throws Error if none starts in CI */
  static async start(
    warn = (message: string): void => void process.stderr.write(`${message}\n`),
  ): Promise<TestBrowser | undefined> {
    const started = await launch(warn);
    return started && new TestBrowser(started, warn);
  }

  /** Returns the running browser. @throws Error that says why it ended, if it ended twice */
  async running(): Promise<Browser> {
    if (this.#process.browser.isConnected()) return this.#process.browser;
    const why = `the browser ended: ${await this.#process.ended}`;
    if (this.#restarts > 0) throw new Error(`${why}; it had started again once`);
    this.#restarts += 1;
    this.#warn(`${why}; starting it again`);
    const started = await launch(this.#warn);
    if (!started) throw new Error(`${why}; it does not start again`);
    this.#process = started;
    return started.browser;
  }
}

interface BrowserProcess {
  browser: Browser;
  /** Resolves when it ends, with its exit code or signal and the end of its output. */
  ended: Promise<string>;
}

/** Launches `CHROMIUM_PATH`, the browser of a devDependency, which has no window and takes half the time, or one of the system. */
async function launch(warn: (message: string) => void): Promise<BrowserProcess | undefined> {
  const tried: string[] = [];
  for (const find of [givenPath, packaged, onSystem]) {
    try {
      for (const candidate of await find()) {
        const started = await launchCandidate(candidate).catch((error: unknown) => {
          tried.push(`${candidate.name}: ${String(error).split('\n')[0]}`);
        });
        if (started) return started;
      }
    } catch (error) {
      tried.push(`${find.name}: ${String(error).split('\n')[0]}`);
    }
  }
  const problem = `no browser starts: ${tried.join('; ')}`;
  if (process.env.CI) throw new Error(problem);
  warn(`skipped: ${problem}`);
  return undefined;
}

/** Launches a browser as a server, which tells its exit code and its output. */
async function launchCandidate({ executablePath, env }: Candidate): Promise<BrowserProcess> {
  const server = await chromium.launchServer({ executablePath, args: FLAGS, ...(env && { env }) });
  // A browser that is killed while it closes leaves its profile in the temporary folder.
  shared.__vitest_worker__.onCleanup(() => server.close());
  const child = server.process();
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-MAX_OUTPUT);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => {
      resolve([signal ?? `exit code ${code}`, output.trim()].filter(Boolean).join(': '));
    });
  });
  return { browser: await chromium.connect(server.wsEndpoint()), ended };
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
    ...definedOf(process.env),
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

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
