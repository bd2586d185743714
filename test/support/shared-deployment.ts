import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import type { Fetch } from '../../src/client/fetch.ts';
import { freePorts, isListening } from './ports.ts';
import { BIN, emptyDirectory, ROOT, type ServerProcess, startProcess } from './sandlot-process.ts';

/** What docs/shared.md needs. */
const PROGRAMS = ['haproxy', 'socat', 'sqlite3', 'openssl', 'curl'];

/** Those that are not installed. */
export function missingPrograms(): string[] {
  return PROGRAMS.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
}

/** The deployment of docs/shared.md on free ports of this machine. */
export class SharedDeployment {
  readonly folder = emptyDirectory();
  readonly names = ['p1', 'p2', 'p3', 'p4'];
  readonly servers = new Map<string, ServerProcess>();
  #ports: number[] = [];
  #fetch: Fetch | undefined;

  /** Address that HAProxy serves. */
  get url(): string {
    return `https://localhost:${this.#ports[0]}`;
  }

  /** `fetch` that trusts the certificate of HAProxy. */
  get fetch(): Fetch {
    if (!this.#fetch) throw new Error('HAProxy has not been started');
    return this.#fetch;
  }

  async setUp(): Promise<void> {
    fs.cpSync(path.join(ROOT, 'docs/shared'), this.folder, { recursive: true });
    this.#ports = await freePorts(1 + this.names.length);
    const [proxyPort, ...ports] = this.#ports;
    this.#edit('haproxy.cfg', ['bind :443', `bind 127.0.0.1:${proxyPort}`]);
    // A busy machine may take longer than five seconds to start a process again.
    this.#edit('haproxy.cfg', ['retries 5\n', 'retries 120\n']);
    for (const [n, port] of ports.entries()) {
      this.#edit('haproxy.cfg', [`127.0.0.1:${4011 + n}\n`, `127.0.0.1:${port}\n`]);
    }
    this.run('sh', ['setup.sh', this.url, ...this.names.map((name, n) => `${name}:${ports[n]}`)]);
    for (const name of this.names) {
      this.#edit(`${name}.json`, [
        '"default_credential"',
        '"inventory": 300, "default_credential"',
      ]);
    }
    await Promise.all(this.names.map((name) => this.start(name)));
  }

  async start(name: string): Promise<void> {
    const files = ['--config', `${name}.json`, '--control-token-file', `${name}.token`];
    const server = await startProcess(this.folder, '--port', String(this.#portOf(name)), ...files);
    this.servers.set(name, server);
  }

  /** The control API of a process, on the machine itself. */
  control(name: string): ControlClient {
    const token = fs.readFileSync(path.join(this.folder, `${name}.token`), 'utf8');
    return new ControlClient({ baseUrl: `http://127.0.0.1:${this.#portOf(name)}`, fetch, token });
  }

  async startProxy(): Promise<void> {
    this.run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
      ...['-keyout', 'key.pem', '-out', 'cert.pem'],
    ]);
    const [key, cert] = ['key.pem', 'cert.pem'].map((file) =>
      fs.readFileSync(path.join(this.folder, file), 'utf8'),
    );
    fs.writeFileSync(path.join(this.folder, 'sandlot.pem'), `${cert}${key}`);
    const proxy = spawn('haproxy', ['-f', 'haproxy.cfg'], { cwd: this.folder, stdio: 'ignore' });
    const ended = new Promise((resolve) => proxy.once('exit', resolve));
    const agent = new https.Agent({ ca: cert, keepAlive: true });
    onTestFinished(async () => {
      agent.destroy();
      proxy.kill('SIGKILL');
      await ended;
    });
    this.#fetch = fetchOver(agent);
    while (!(await isListening(this.#ports[0] ?? 0))) {
      if (proxy.exitCode !== null) throw new Error('HAProxy does not listen');
      await wait(25);
    }
  }

  /** Runs a command in the folder of the deployment. @throws Error with what it printed if it fails */
  run(command: string, args: readonly string[]): string {
    const SANDLOT = `${process.execPath} ${BIN}`;
    const env = { ...process.env, SANDLOT, GRACE_SECONDS: '0' };
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: this.folder,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  #portOf(name: string): number {
    return this.#ports[1 + this.names.indexOf(name)] ?? 0;
  }

  /** Replaces what the documented file must contain. */
  #edit(file: string, [from, to]: [string, string]): void {
    const name = path.join(this.folder, file);
    const text = fs.readFileSync(name, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
    fs.writeFileSync(name, text.replace(from, to));
  }
}

/** As the global `fetch`, which takes no certificate; follows no redirects. */
function fetchOver(agent: https.Agent): Fetch {
  return (url, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const request = https.request(url, { method, headers, agent }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const init = { status: response.statusCode ?? 0, headers: new Headers() };
        for (const [name, value] of Object.entries(response.headers)) {
          init.headers.set(name, String(value));
        }
        resolve(new Response(Buffer.concat(chunks), init));
      });
      request.once('error', reject);
      request.end(body);
    });
}
