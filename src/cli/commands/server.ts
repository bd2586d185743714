import fs from 'node:fs';
import path from 'node:path';
import { CONFIG_FILE } from '../../config/settings.ts';
import type { Status } from '../../control/status.ts';
import { readFixture } from '../../kernel/fixture.ts';
import { findServerOf } from '../../server/record.ts';
import { action, type CommandModule, command } from '../command.ts';
import { CommandFailedError, ExitWith, UsageError } from '../errors.ts';
import type { BlockLine } from '../layout.ts';
import { argument, flag, port, text } from '../options.ts';
import type { Formatter } from '../output.ts';
import { writeAtomically } from '../write-file.ts';
import type { DoctorCheck } from './doctor.ts';
import { EXEC_OPTIONS, SANDBOX_OPTIONS } from './server/sandbox-options.ts';
import { formatStatus } from './server/status.ts';

const DATA_DIR = text('--data-dir <dir>', 'State folder (default: .sandlot)');

const doctor = command('doctor', {
  readOnly: true,
  summary: 'Find problems of the installation, and suggest fixes.',
  details:
    'Checks versions, the port and the state folder; if a sandbox is running, also its clock, and whether each registered webhook URL accepts connections. Changes nothing. Exits 1 if a check fails; no running sandbox, and a receiver that does not run, are warnings.',
  options: {
    config: SANDBOX_OPTIONS.config,
    port: port('Port to check (default: 4010)'),
    dataDir: DATA_DIR,
  },
  examples: ['sandlot doctor', 'sandlot doctor --json'],
  async run(call) {
    const { examine } = await import('./doctor.ts');
    const checks = await examine(call, call.options);
    const failures = checks.filter(({ status }) => status === 'failure');
    const failed = new Set(failures.map(({ check }) => check));
    call.out.result({ ok: failed.size === 0, checks }, formatChecks);
    if (failed.size > 0) throw new CommandFailedError(`failed checks: ${[...failed].join(', ')}`);
  },
});

function formatChecks(
  { checks }: { checks: readonly DoctorCheck[] },
  { colors, block }: Formatter,
): string {
  const colorOf = { ok: colors.success, warning: colors.warning, failure: colors.error };
  return block(
    checks.flatMap(({ check, status, detail, hint }): BlockLine[] => [
      [`${status.padEnd(9)}${check}`, detail, colorOf[status]],
      ...(hint === null ? [] : [['', `→ ${hint}`] as const]),
    ]),
  );
}

const init = command('init', {
  summary: `Write a commented ${CONFIG_FILE}.`,
  options: { force: flag('--force', 'Overwrite an existing file') },
  examples: ['sandlot init', 'sandlot init --force'],
  async run({ io, options, out }) {
    const file = path.join(io.cwd, CONFIG_FILE);
    if (!options.force && (await fs.promises.lstat(file).catch(() => false))) {
      throw new UsageError(`${CONFIG_FILE} exists; pass --force to overwrite it`);
    }
    await writeAtomically(file, readFixture('templates/sandlot.config.jsonc'));
    out.result({ file }, () => `Wrote ${CONFIG_FILE}`);
  },
});

const STOP_TIMEOUT_MS = 15_000;
const STOP_POLL_MS = 20;

const start = command('start', {
  startsSandbox: true,
  summary: 'Start a sandbox and keep it running.',
  details:
    'The state is in .sandlot in the working directory. sandlot.config.json can hold every setting; `sandlot init` writes one.\n\nWith a control token (--control-token, --control-token-file FILE or SANDLOT_CONTROL_TOKEN), each control API request needs it. An address that is not loopback (--host) requires a token of at least 16 characters; dmk_sandbox_local is then created only with --default-credential, and secrets come from the random source of the system unless --seed is given.',
  options: {
    ...SANDBOX_OPTIONS,
    dataDir: DATA_DIR,
    ephemeral: flag('--ephemeral', 'Keep the state in memory'),
    detach: flag('-d, --detach', 'Return when the sandbox is ready, and leave it running'),
  },
  examples: [
    'sandlot start',
    'sandlot start --detach',
    'sandlot start --port 0 --ephemeral',
    'sandlot start --seed 42 --frozen-at 2026-01-05T09:00:00Z',
  ],
  async run(call) {
    const { readSettings } = await import('./server/settings.ts');
    const settings = readSettings({ ...call.options, controlToken: call.controlToken() });
    if (!call.options.detach) {
      const { runServer } = await import('./server/run-server.ts');
      return runServer(call, settings);
    }
    const { startDetached } = await import('../../server/detach.ts');
    const { describeExposure } = await import('../../server/exposure.ts');
    const result = await startDetached(settings).catch(async (error: unknown) => {
      const { explainFailure } = await import('./server/run-server.ts');
      throw await explainFailure(call, error);
    });
    if ('failure' in result) {
      throw new (result.isUsage ? UsageError : CommandFailedError)(result.failure);
    }
    call.out.result(result.ready, formatStatus);
    if (result.warning !== undefined) call.out.warn(result.warning);
    for (const line of describeExposure(settings, result.ready.seed)) call.out.note(line);
  },
});

const stop = command('stop', {
  summary: 'Stop the running sandbox, and return when its process has ended.',
  discardsState: () => true,
  async run({ control, io, out }) {
    const client = control();
    const { url } = client;
    const status = await client.get<Pick<Status, 'pid' | 'data_dir'>>('/status');
    await client.post('/stop');
    const deadline = io.runtime.monotonic() + STOP_TIMEOUT_MS;
    const isRunning = async () =>
      (await client.get('/health').catch(() => undefined)) !== undefined || holdsState(status);
    while (await isRunning()) {
      if (io.runtime.monotonic() > deadline)
        throw new CommandFailedError(`process ${status.pid} at ${url} is still running`);
      await io.runtime.sleep(STOP_POLL_MS);
    }
    out.result({ stopped: true, url }, () => `Stopped ${url}`);
  },
});

/** Returns whether the server still uses its state: it removes its record after it has closed the port. */
function holdsState({ pid, data_dir: dataDir }: Pick<Status, 'pid' | 'data_dir'>): boolean {
  return dataDir !== null && findServerOf(dataDir)?.pid === pid;
}

const exec = command('exec', {
  summary: 'Run a command with its own sandbox, and exit with its exit code.',
  details:
    'The sandbox is in memory, on a free port unless --port is given. It has no rate limits unless --rate-limits, --rate-limit or the configuration file asks for them. The command gets SANDLOT_URL, SANDLOT_KEY_ID and SANDLOT_SECRET in its environment. Signals are forwarded to it and its child processes. Stdout has only its output, also with --json. When it ends, a summary on stderr counts the requests and the errors by code. The exit code is that of the command, 127 if it is not found, or 126 if it cannot be run.',
  args: { command: argument('<command...>', 'Command and its arguments') },
  options: EXEC_OPTIONS,
  passThrough: true,
  startsSandbox: true,
  examples: ['sandlot exec -- npm test', 'sandlot exec --seed 7 -- printenv SANDLOT_URL'],
  async run(call) {
    const { readExecSettings } = await import('./server/settings.ts');
    const { execWithSandbox } = await import('./server/exec.ts');
    const settings = readExecSettings({ ...call.options, controlToken: call.controlToken() });
    throw new ExitWith(await execWithSandbox(call, settings, call.args.command, call.options));
  },
});

export const server: CommandModule = {
  group: 'Server',
  commands: [
    start,
    stop,
    exec,
    init,
    action('status', 'GET /status', {
      examples: ['sandlot status', 'sandlot status --json'],
      format: formatStatus,
    }),
    doctor,
  ],
};
