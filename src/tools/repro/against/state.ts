import fs from 'node:fs';
import { UsageError } from '../../../cli/errors.ts';
import type { CommandLineIo } from '../../../cli/io.ts';
import { requireWritable } from '../../../cli/write-file.ts';
import { parsedJson } from '../limits.ts';
import { isObject } from './answer.ts';
import type { Binding } from './bindings.ts';
import type { Outcome } from './run.ts';

/** Whose state it is: the first line. */
interface Owner {
  /** Digest of the file. */
  file: string;
  url: string;
}

/** One request that was sent: a line. */
interface Step {
  outcome: Outcome;
  bindings: Binding[];
  comparesValues: boolean;
}

/** What `--state` keeps: JSON Lines, without secrets. A line that a kill cut off is left out. */
export class AgainstState {
  readonly steps: readonly Step[];
  readonly #file: string | undefined;
  /** What is written before the next line. */
  #before: string;

  /** @throws UsageError if the state is that of another file or URL */
  constructor(io: CommandLineIo, name: string | undefined, owner: Owner) {
    this.#file = name === undefined ? undefined : requireWritable(io, '--state', name);
    const isThere = this.#file !== undefined && fs.existsSync(this.#file);
    const text = this.#file !== undefined && isThere ? fs.readFileSync(this.#file, 'utf8') : '';
    const [head, ...steps] = text.split('\n').map(parsedJson);
    if (text !== '') assertOwner(`--state: ${name}`, head, owner);
    this.#before = text === '' ? `${JSON.stringify(owner)}\n` : text.endsWith('\n') ? '' : '\n';
    this.steps = steps.filter((each) => isObject(each) && isObject(each.outcome)) as Step[];
  }

  add(step: Step): void {
    if (this.#file === undefined) return;
    fs.appendFileSync(this.#file, `${this.#before}${JSON.stringify(step)}\n`, { mode: 0o600 });
    this.#before = '';
  }
}

/** @throws UsageError */
function assertOwner(what: string, head: unknown, { file, url }: Owner): void {
  if (!isObject(head) || typeof head.file !== 'string' || typeof head.url !== 'string') {
    throw new UsageError(`${what} is not a state of this command`);
  }
  if (head.file === file && head.url === url) return;
  const other = head.file === file ? 'URL' : 'file';
  throw new UsageError(`${what} is of another ${other}; pass another name`);
}
