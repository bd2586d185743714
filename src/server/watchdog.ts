import { text } from 'node:stream/consumers';
import { endTree } from './end-tree.ts';

/**
 * The watchdog process of `sandlot exec`. Reads the process id of the command from standard input, a pipe from
 * `exec`. If the pipe ends, `exec` was killed, and the command is ended. An `exec` that ends normally ends this
 * process first.
 */
async function watch(): Promise<void> {
  const command = Number(await text(process.stdin));
  if (Number.isInteger(command) && command > 0) await endTree(command);
}

void watch();
