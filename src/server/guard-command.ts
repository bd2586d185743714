import { spawn } from 'node:child_process';
import path from 'node:path';

/**
 * Sees to it that a command does not outlive this process, also when this process is killed with -9.
 * @returns to be told the command's process id once it is there, and to be ended when the command has
 */
export function guardCommand(): { begin(pid: number): void; end(): void } {
  const watchdog = spawn(process.execPath, [path.join(import.meta.dirname, 'watchdog.cjs')], {
    // A session of its own: what a terminal sends to this process group does not reach it.
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without it the command still runs, but a kill -9 of exec leaves it running.
  watchdog.on('error', () => {});
  watchdog.stdin.on('error', () => {});
  watchdog.unref();
  return {
    begin: (pid) => watchdog.stdin.write(String(pid)),
    end: () => watchdog.kill('SIGKILL'),
  };
}
