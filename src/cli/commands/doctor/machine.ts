import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import type { Fetch } from '../../../client/fetch.ts';
import { CONFIG_FILE } from '../../../config/config-file.ts';
import { readConfig } from '../../../config/read-config.ts';
import type { Config } from '../../../config/schema.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { type SandboxTool, toolSettings } from '../../../sandbox/tool.ts';
import { describePortUser } from '../../../server/start-failure.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

/** The binary of SQLite needs Node-API 10. */
const NEEDED_NAPI = 10;

export function checkNode(versions: { node?: string; napi?: string } = process.versions): Finding {
  const where = `Node.js ${versions.node} on ${process.platform} ${process.arch}`;
  if (Number(versions.napi) >= NEEDED_NAPI) return ok('node', where);
  return failure('node', `${where} is too old`, 'install Node.js 22.14 or newer');
}

export async function checkSqlite(): Promise<Finding> {
  try {
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(':memory:');
    const version = database.prepare('SELECT sqlite_version()').pluck().get();
    database.close();
    return ok('sqlite', `SQLite ${version}`);
  } catch (error) {
    return failure(
      'sqlite',
      `SQLite does not load: ${messageOf(error).split('\n', 1)[0]}`,
      'reinstall sandlot; its package has SQLite for Linux, macOS and Windows on x64 and arm64',
    );
  }
}

/** Checks the configuration file. @returns the result, and the settings; none if the file cannot be read */
export function checkConfig(
  cwd: string,
  given: string | undefined,
  tools: readonly SandboxTool[],
): { finding: Finding; config: Config } {
  const file = path.resolve(cwd, given ?? CONFIG_FILE);
  if (given === undefined && !fs.existsSync(file)) {
    return { finding: ok('config', `no ${CONFIG_FILE} here; using the defaults`), config: {} };
  }
  try {
    return {
      config: readConfig(file, toolSettings(tools)),
      finding: ok('config', `${file} is valid`),
    };
  } catch (error) {
    const hint = 'fix that line; "sandlot init --force" writes a new file';
    return { finding: failure('config', messageOf(error), hint), config: {} };
  }
}

/** Checks that `start` can listen on its port. @param running address of the running sandbox, if any */
export async function checkPort(
  host: string,
  port: number,
  { running, fetch }: { running: string | undefined; fetch: Fetch },
): Promise<Finding> {
  if (port === 0) return ok('port', 'any free port');
  const problem = await tryPort(host, port);
  if (problem === undefined) return ok('port', `${host}:${port} is free`);
  if (running !== undefined && Number(new URL(running).port) === port) {
    return ok('port', `${host}:${port} is used by the running sandbox`);
  }
  if (problem !== 'EADDRINUSE') {
    const hint = 'choose an address and a port that this user may use: --host, --port';
    return failure('port', `${host}:${port} is not available (${problem})`, hint);
  }
  const detail = `${host}:${port} is in use by ${await describePortUser(port, fetch)}`;
  const hint = 'choose another port with --port, or a free one with --port 0';
  return running === undefined ? failure('port', detail, hint) : warning('port', detail, hint);
}

/** Listens for a moment. @returns the code of the error, undefined if there is none */
function tryPort(host: string, port: number): Promise<string | undefined> {
  const server = net.createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
