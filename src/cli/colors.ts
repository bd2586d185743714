import { styleText } from 'node:util';
import type { Environment, TextStream } from './io.ts';

/** Colors by meaning; plain text if there is no terminal, or the user wants no colors. */
export interface Colors {
  bold(text: string): string;
  dim(text: string): string;
  success(text: string): string;
  error(text: string): string;
  warning(text: string): string;
}

export function colorsFor(stream: TextStream, { color }: Environment): Colors {
  const isColored = color ?? stream.isTTY === true;
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    isColored && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: style('bold'),
    dim: style('dim'),
    success: style('green'),
    error: style('red'),
    warning: style('yellow'),
  };
}
