import type { Column } from '../kernel/columns.ts';
import { indentJson } from '../kernel/json.ts';
import { escapeControls, escapeControlsButColors } from '../kernel/printable.ts';
import { type Colors, colorsFor } from './colors.ts';
import { type CommandLineIo, type EnvironmentVariables, type TextStream, widthOf } from './io.ts';
import { type BlockLine, formatBlock, formatTable, toneColor, wrapAfter } from './layout.ts';

/** Formats a result for people. No text ends with a line break. */
export interface Formatter {
  colors: Colors;
  /** Wraps a text that begins at column `indent` to fit the terminal. */
  wrapAfter(indent: number, text: string): string;
  block(lines: readonly BlockLine[]): string;
  /** Formats an item: a line for each field with a value, and a table for each list. */
  details<Item>(fields: readonly Column<Item>[], item: Item): string[];
  /** Formats rows to fit the terminal. Without a terminal, nothing is truncated. */
  table<Item>(columns: readonly Column<Item>[], items: readonly Item[]): string;
}

/** Prints the result on stdout, as JSON with --json and else formatted for people, and everything else on stderr. */
export class Output {
  readonly json: boolean;
  /** Colors for stderr. */
  readonly colors: Colors;
  /** Whether a result was printed. If so, a failure prints no JSON. */
  hasResult = false;
  readonly #formatter: Formatter;
  readonly #io: CommandLineIo;

  constructor(io: CommandLineIo, variables: EnvironmentVariables, json: boolean) {
    this.json = json;
    this.#io = io;
    this.colors = colorsFor(io.stderr, variables);
    this.#formatter = formatterFor(io.stdout, variables);
  }

  /** Prints the only result of a command: the document with --json, else the text of `format`. */
  result<Document>(
    document: Document,
    format: (document: Document, formatter: Formatter) => string | readonly string[],
  ): void {
    this.hasResult = true;
    const text = this.json
      ? escapeControls(JSON.stringify(document, null, 2))
      : format(document, this.#formatter);
    this.#print(typeof text === 'string' ? text : text.join('\n'));
  }

  /** Prints one result of many: a line of JSON with --json, else a line for people. */
  item<Document>(
    document: Document,
    format: (document: Document, formatter: Formatter) => string,
  ): void {
    this.hasResult = true;
    // Results may come for hours: end with `| head`, for example.
    this.#io.endWithReader?.();
    this.#print(
      this.json ? escapeControls(JSON.stringify(document)) : format(document, this.#formatter),
    );
  }

  /** Prints the body of a response. On a terminal, indents JSON and escapes control characters. */
  body(text: string): void {
    this.hasResult = true;
    const shown = this.#io.stdout.isTTY ? escapeControls(indentJson(text)) : text;
    this.#print(shown.replace(/\n$/, ''));
  }

  /** Prints a warning on stderr. */
  warn(text: string): void {
    this.note(`${this.colors.warning('warning:')} ${text}`);
  }

  /** Prints a hint or progress on stderr. */
  note(text: string): void {
    const { stderr } = this.#io;
    stderr.write(`${escapeForTerminal(text, stderr)}\n`);
  }

  #print(text: string): void {
    const { stdout } = this.#io;
    if (text !== '') stdout.write(`${escapeForTerminal(text, stdout)}\n`);
  }
}

/** Escapes control characters of external text on a terminal, except colors. */
function escapeForTerminal(text: string, stream: TextStream): string {
  return stream.isTTY ? escapeControlsButColors(text) : text;
}

function formatterFor(stdout: TextStream, variables: EnvironmentVariables): Formatter {
  const colors = colorsFor(stdout, variables);
  const width = widthOf(stdout);
  const block: Formatter['block'] = (lines) => formatBlock(lines, colors.dim, width);
  const table: Formatter['table'] = (columns, items) =>
    formatTable(columns, items, { width, colors });
  return {
    colors,
    wrapAfter: (indent, text) => wrapAfter(indent, text, width),
    block,
    details: (fields, item) => [
      block(
        fields.flatMap((field) => {
          const text = field.nested ? undefined : field.text(item);
          if (text === undefined) return [];
          const color = toneColor(field.tone(item), colors);
          return [[field.heading.toLowerCase(), text, color] as const];
        }),
      ),
      ...fields.flatMap(({ nested }) => {
        const items = nested?.items(item) ?? [];
        return nested && items.length > 0 ? ['', table(nested.columns(), items)] : [];
      }),
    ],
    table,
  };
}
