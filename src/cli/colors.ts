import { Chalk } from 'chalk';
import type { EnvironmentVariables, TextStream } from './io.ts';

/** Colors by meaning; plain text if there is no terminal, or the user wants no colors. */
export interface Colors {
  bold(text: string): string;
  dim(text: string): string;
  success(text: string): string;
  error(text: string): string;
  warning(text: string): string;
}

export function colorsFor(stream: TextStream, { color }: EnvironmentVariables): Colors {
  const chalk = new Chalk({ level: (color ?? stream.isTTY === true) ? 1 : 0 });
  // Not the functions of chalk, which join all arguments: `lines.map(bold)` would print the indexes.
  return {
    bold: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    success: (text) => chalk.green(text),
    error: (text) => chalk.red(text),
    warning: (text) => chalk.yellow(text),
  };
}
