import { Chalk, type ChalkInstance } from 'chalk';
import { escapeControls, escapeControlsButColors } from '../kernel/printable.ts';
import type { Environment } from './environment.ts';
import type { CommandLineIo, TextStream } from './io.ts';
import { type Cell, type Column, layOutBlock, layOutTable, printableJson } from './layout.ts';

/** Colors by meaning; all do nothing where there is no terminal, or the user wants none. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  doubtful(text: string): string;
}

/** What a result for people is put together from; each piece ends without a line break. */
export interface Paper {
  paint: Paint;
  /** Lines of a name and a value. */
  block(pairs: readonly (readonly [name: string, value: Cell])[]): string;
  /** Rows that fit the terminal; without a terminal nothing is cut off. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string;
}

/**
 * What a command says. The result goes to stdout, as JSON with --json and for people without; everything
 * else goes to stderr.
 */
export class Output {
  /** Whether --json was given. */
  readonly json: boolean;
  /** Colors for stderr. */
  readonly paint: Paint;
  readonly paper: Paper;
  readonly #stdout: TextStream;
  readonly #stderr: TextStream;
  #hasResult = false;

  constructor(io: CommandLineIo, environment: Environment, json: boolean) {
    this.json = json;
    this.#stdout = io.stdout;
    this.#stderr = io.stderr;
    this.paint = paintFor(io.stderr, environment);
    this.paper = paperFor(io.stdout, environment);
  }

  /** Whether stdout has a result already; a failure then adds nothing to it. */
  get hasResult(): boolean {
    return this.#hasResult;
  }

  /** The command's one result: the document with --json, what `show` makes of it without. */
  result<Document>(
    document: Document,
    show: (document: Document, paper: Paper) => string | readonly string[],
  ): void {
    this.#hasResult = true;
    const shown = this.json
      ? printableJson(JSON.stringify(document, null, 2))
      : show(document, this.paper);
    this.#print(typeof shown === 'string' ? shown : shown.join('\n'));
  }

  /** One result of many: a line of JSON with --json, else a line for people. */
  item<Document>(document: Document, show: (document: Document, paper: Paper) => string): void {
    this.#hasResult = true;
    const line = this.json ? printableJson(JSON.stringify(document)) : show(document, this.paper);
    this.#print(line);
  }

  /** Prints text that somebody else wrote as it is; on a terminal, JSON is indented and controls are escaped. */
  body(text: string): void {
    this.#hasResult = true;
    this.#print((this.#stdout.isTTY ? escapeControls(indented(text)) : text).replace(/\n$/, ''));
  }

  /** Prints a piece of a long text; on a terminal, controls are escaped. Resolves when more may come. */
  async stream(text: string): Promise<void> {
    this.#hasResult = true;
    const stdout = this.#stdout;
    if (stdout.write(stdout.isTTY ? escapeControls(text) : text) !== false) return;
    await new Promise<void>((resolve) => {
      if (stdout.once) stdout.once('drain', resolve);
      else resolve();
    });
  }

  /** Something beside the result: a hint, progress, a warning. */
  note(text: string): void {
    this.#stderr.write(`${forStream(text, this.#stderr)}\n`);
  }

  #print(text: string): void {
    this.#stdout.write(text === '' ? '' : `${forStream(text, this.#stdout)}\n`);
  }
}

/** Whatever a command puts into its text, only our own colors reach a terminal as commands. */
function forStream(text: string, stream: TextStream): string {
  return stream.isTTY ? escapeControlsButColors(text) : text;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function paperFor(stdout: TextStream, environment: Environment): Paper {
  const paint = paintFor(stdout, environment);
  const width = stdout.isTTY ? (stdout.columns ?? 80) : stdout.columns;
  return {
    paint,
    block: (pairs) => layOutBlock(pairs, paint.faint),
    table: (columns, rows) => layOutTable(columns, rows, { width, heading: paint.faint }),
  };
}

function paintFor(stream: TextStream, { color }: Environment): Paint {
  const chalk: ChalkInstance = new Chalk({ level: (color ?? stream.isTTY === true) ? 1 : 0 });
  return {
    strong: (text) => chalk.bold(text),
    faint: (text) => chalk.dim(text),
    good: (text) => chalk.green(text),
    bad: (text) => chalk.red(text),
    doubtful: (text) => chalk.yellow(text),
  };
}
