import { text } from 'node:stream/consumers';
import { endTree } from './end-tree.ts';

/**
 * A process of its own beside `sandlot exec`. Its standard input is a pipe from there, on which the command's
 * process id comes: when the pipe ends, its holder was killed, and the command has to end too. An
 * `exec` that ends in its own way ends this process before.
 */
async function watch(): Promise<void> {
  const command = Number(await text(process.stdin));
  if (Number.isInteger(command) && command > 0) await endTree(command);
}

void watch();
