import { Placeholders } from '../redaction/placeholders.ts';
import { Redaction } from '../redaction/redaction.ts';
import type { Store } from '../store/open.ts';
import { inserter } from '../store/table.ts';
import type { SeqRange } from './list-requests.ts';
import type { EntryHead, RawEntry } from './log-entry.ts';
import { placeholderKeyOf } from './log-file.ts';
import type { RequestLogOptions } from './log-options.ts';
import type { LogStore } from './log-store.ts';
import { limitBases, pruneLog, writeBegin, writeEnd, writeStep } from './recording-store.ts';
import { type RedactedEntry, redactEntry, secretsOfRequest } from './redact-entry.ts';
import { requests } from './schema.ts';
import type { QueuedBegin, QueuedEntry, QueueRecord } from './write-queue.ts';

const insert = inserter(requests);

type LogWriterOptions = Pick<
  RequestLogOptions,
  'kept' | 'search' | 'report' | 'isCredentialSecret' | 'beforeDrop'
>;

/** Writes records to a log without secrets, and deletes what the log need not keep. */
export class LogWriter {
  readonly #log: LogStore;
  readonly #options: LogWriterOptions;
  #placeholders: Placeholders | undefined;

  constructor(log: LogStore, options: LogWriterOptions) {
    this.#log = log;
    this.#options = options;
  }

  /** @returns the numbers of the entries among the records */
  write(records: readonly QueueRecord[]): SeqRange | undefined {
    const store = this.#log.open();
    const redaction = this.#redaction(store);
    const afterCommit: (() => void)[] = [];
    let written: SeqRange | undefined;
    store.client.transaction(() => {
      for (const record of records) {
        if ('text' in record) writeStep(store, record, redaction.text(record.text));
        else if ('after' in record) this.#writeBegin(store, record, afterCommit);
        else if ('ended' in record) writeEnd(store, record);
        else {
          const last = this.#log.numbers.before + record.order;
          written = { first: written?.first ?? last, last };
          this.#writeEntry(store, record, redaction, last);
        }
      }
      if (written) this.#prune(store, written.last, afterCommit);
    })();
    for (const act of afterCommit) act();
    return written;
  }

  #writeEntry(
    store: Store,
    { texts, recording }: QueuedEntry,
    redaction: Redaction,
    seq: number,
  ): void {
    const entry = texts.read();
    const redacted = this.#redact(entry, redaction);
    if (!redacted) return;
    const sentSecret =
      redacted.mayHaveSecret &&
      secretsOfRequest(entry, redaction).some(this.#options.isCredentialSecret);
    const { head } = redacted.entry;
    insert(store, {
      ...redacted.entry,
      ...(sentSecret && {
        head: JSON.stringify({ ...(JSON.parse(head) as EntryHead), sentSecret }),
      }),
      seq,
      recording: recording?.id ?? null,
    });
  }

  #writeBegin(store: Store, begin: QueuedBegin, afterCommit: (() => void)[]): void {
    const base = writeBegin(store, begin, this.#log.numbers.before);
    if (!base) return;
    const kept = limitBases(store);
    afterCommit.push(() => {
      this.#log.bases.put(base.name, base.bytes);
      this.#log.bases.keepOnly(kept);
      begin.recording.releaseBase();
    });
  }

  #prune(store: Store, last: number, afterCommit: (() => void)[]): void {
    const { kept } = this.#options;
    const unlisted = Math.max(last - kept, this.#log.numbers.after);
    if (unlisted <= 0) return;
    this.#options.beforeDrop(unlisted);
    if (!pruneLog(store, last, unlisted, kept)) return;
    const names = limitBases(store);
    afterCommit.push(() => this.#log.bases.keepOnly(names));
  }

  /** Leaves out an entry that cannot be redacted; it must not cost the others. */
  #redact(entry: RawEntry, redaction: Redaction): RedactedEntry | undefined {
    try {
      return redactEntry(entry, redaction);
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  #redaction(store: Store): Redaction {
    this.#placeholders ??= new Placeholders(placeholderKeyOf(store));
    return new Redaction(this.#options.search(), this.#placeholders);
  }
}
