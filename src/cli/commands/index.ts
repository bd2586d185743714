import type { CommandDeclaration } from '../command.ts';
import { exec } from './server/exec.ts';
import { init } from './server/init.ts';
import { start } from './server/start.ts';
import { status } from './server/status.ts';
import { stop } from './server/stop.ts';

/** Every command, in the order in which the help lists those of one noun. */
export const COMMANDS: readonly CommandDeclaration[] = [start, stop, exec, init, status];
