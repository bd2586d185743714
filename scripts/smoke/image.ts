import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';

/** The user `nonroot` of the base image. */
const NONROOT = 65_532;
const TOKEN = 'smoke-control-token';
const DEADLINE_MS = 60_000;

/** The settings with which a container starts. */
interface Image {
  copies: [source: string, target: string][];
  workdir: string;
  healthcheck: string[];
  entrypoint: string[];
}

interface Service {
  command: string[];
  environment: Record<string, string>;
}

/**
 * Runs the commands of the Dockerfile and of the compose example without Docker: the files of the last stage in their
 * own root folder, with the libraries of the base image, as its user.
 * @param built the result of the build stage: the folder of the executable
 */
export async function checkImage(root: string, built: string, empty: string): Promise<string> {
  const tools = path.join(root, '.ci/tools');
  if (process.getuid?.() !== 0 || !fs.existsSync(path.join(tools, 'node_modules'))) {
    assert(!process.env.CI, 'the check of the image needs root and `npm ci --prefix .ci/tools`');
    return 'image: skipped, needs root and `npm ci --prefix .ci/tools`';
  }
  lint(root, tools);
  const image = readImage(fs.readFileSync(path.join(root, 'Dockerfile'), 'utf8'));
  const compose = path.join(root, 'examples/compose');
  const { parse } = createRequire(path.join(tools, 'package.json'))('yaml');
  const { services } = parse(fs.readFileSync(path.join(compose, 'compose.yaml'), 'utf8'));
  const container = makeRoot(image, built, path.join(empty, 'container'));

  const [port, receiverPort] = [await freePort(), await freePort()];
  const server = inside(container, image, [
    ...image.entrypoint,
    ...services.sandlot.command,
    '--port',
    String(port),
  ]);
  const receiver = example(compose, services.receiver, { PORT: String(receiverPort) });
  try {
    const deadline = Date.now() + DEADLINE_MS;
    let check: ChildProcess;
    do {
      assert(server.exitCode === null && Date.now() < deadline, 'the container is not healthy');
      check = inside(container, image, image.healthcheck);
      await ended(check);
    } while (check.exitCode !== 0);
    const app = example(compose, services.app, {
      SANDLOT_URL: `http://127.0.0.1:${port}`,
      SANDLOT_CONTROL_TOKEN: TOKEN,
      RECEIVER_URL: `http://127.0.0.1:${receiverPort}/webhooks`,
    });
    assert(/TRANSFER_COMPLETED\n$/.test(await ended(app)), 'the app sold no domain');
    const { uid } = fs.statSync(path.join(container, image.workdir, '.sandlot'));
    assert(uid === NONROOT, `the state belongs to user ${uid}`);
    server.kill('SIGTERM');
    await ended(server);
    assert(server.exitCode === 0, `the server ended with ${server.exitCode ?? server.signalCode}`);
  } finally {
    for (const child of [server, receiver]) child.kill('SIGKILL');
  }
  const events = await ended(receiver);
  assert(events.includes('order.transfer_completed'), `the receiver got: ${events}`);
  return 'image: starts without root and a shell, is healthy, and serves the compose example';
}

function lint(root: string, tools: string): void {
  const bin = path.join(tools, 'node_modules/.bin/dockerfile-utils');
  const { stdout, status } = spawnSync(process.execPath, [bin, 'lint', 'Dockerfile'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert(status === 0 && stdout.trim() === '', `Dockerfile: ${stdout}`);
}

/** Reads the last stage; it copies from the first, whose result is `built`. */
function readImage(dockerfile: string): Image {
  const text = dockerfile.replaceAll(/\\\n/g, '');
  assert(/^RUN .*npm run release:binary/m.test(text), 'the Dockerfile builds no executable');
  const last = text.slice(text.lastIndexOf('\nFROM '));
  assert(/^USER nonroot$/m.test(last), 'the image runs as root');
  const words = (pattern: RegExp): string[] => JSON.parse(pattern.exec(last)?.[1] ?? '[]');
  return {
    copies: [...last.matchAll(/^COPY --from=build (?:--chown=\S+ )?(.+) (\S+)$/gm)].flatMap(
      ([, sources = '', target = '']) =>
        sources.split(' ').map((source): [string, string] => [source, target]),
    ),
    workdir: /^WORKDIR (\S+)$/m.exec(last)?.[1] ?? '/',
    healthcheck: words(/^HEALTHCHECK .*?CMD (\[.*\])$/m),
    entrypoint: words(/^ENTRYPOINT (\[.*\])$/m),
  };
}

function makeRoot(image: Image, built: string, container: string): string {
  for (const folder of ['tmp', 'home/nonroot', 'data', 'usr/bin']) {
    fs.mkdirSync(path.join(container, folder), { recursive: true });
  }
  fs.chmodSync(path.join(container, 'tmp'), 0o1777);
  for (const own of ['home/nonroot', 'data']) {
    fs.chownSync(path.join(container, own), NONROOT, NONROOT);
  }
  for (const [source, target] of image.copies) {
    if (source === '/data') continue;
    const file = path.join(built, path.posix.relative('/out', source));
    const to = path.join(container, target.endsWith('/') ? target + path.basename(source) : target);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.copyFileSync(file, to);
  }
  // The base image has these.
  const libraries = execFileSync('ldd', [path.join(built, 'sandlot')], { encoding: 'utf8' });
  for (const [library] of libraries.matchAll(/\/\S+/g)) {
    fs.mkdirSync(path.join(container, path.dirname(library)), { recursive: true });
    fs.copyFileSync(library, path.join(container, library));
  }
  return container;
}

function inside(container: string, image: Image, command: string[]): ChildProcess {
  const [program, ...args] = command;
  const user = ['--setuid', String(NONROOT), '--setgid', String(NONROOT)];
  const place = [`--root=${container}`, `--wd=${image.workdir}`];
  return spawn('unshare', [...place, ...user, '--', `/usr/bin/${program}`, ...args], {
    env: { PATH: '/usr/bin', HOME: '/home/nonroot', SANDLOT_CONTROL_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Runs a service's own command on this machine's Node.js. */
function example(compose: string, service: Service, own: Record<string, string>): ChildProcess {
  const [, script = ''] = service.command;
  return spawn(process.execPath, [path.join(compose, script)], {
    env: { ...service.environment, ...own },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Resolves with the output of a process when it has ended. */
async function ended(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const chunk of child.stdout ?? []) output += chunk;
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => child.once('exit', resolve));
  }
  return output;
}

function freePort(): Promise<number> {
  const server = net.createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
