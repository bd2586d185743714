import { spawn } from 'node:child_process';
import path from 'node:path';

/**
 * Starts a watchdog that ends a command if this process dies, even by `kill -9`.
 * @returns `begin` takes the process id of the command; `end` stops the watchdog after the command
 */
export function guardCommand(): { begin(pid: number): void; end(): void } {
  const watchdog = spawn(process.execPath, [path.join(import.meta.dirname, 'watchdog.cjs')], {
    // In its own session, so that signals from the terminal do not reach it.
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // The command also runs without a watchdog, but then survives a `kill -9` of exec.
  watchdog.on('error', () => {});
  watchdog.stdin.on('error', () => {});
  watchdog.unref();
  return {
    begin: (pid) => watchdog.stdin.write(String(pid)),
    end: () => watchdog.kill('SIGKILL'),
  };
}
