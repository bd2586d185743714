import { UnreadableLineError } from './rows.ts';
import { MAX_LINE } from './whole-lines.ts';

/** A record of a CSV file. One with a problem is skipped up to the end of its line. */
type CsvRecord = { line: number; fields: string[] } | { line: number; problem: string };

interface Scanned {
  fields: string[];
  /** Offset after its line break. */
  end: number;
  lines: number;
  problem?: string;
}

/**
 * Reads CSV (RFC 4180) with the line on which each record begins. Libraries stop at a stray quote, or guess; an
 * import reports the record and goes on.
 */
export class CsvRecords {
  #rest = '';
  /** Line on which `#rest` begins. */
  #line = 1;

  /** Returns the records that have ended; `text` ends with a line. @throws UnreadableLineError */
  read(text: string): CsvRecord[] {
    const all = this.#rest + text;
    const records: CsvRecord[] = [];
    let at = 0;
    while (at < all.length) {
      const record = scanRecord(all, at);
      if (!record) break;
      const line = this.#line;
      this.#line += record.lines;
      at = record.end;
      const { fields, problem } = record;
      if (problem !== undefined) records.push({ line, problem });
      else if (fields.length > 1 || fields[0] !== '') records.push({ line, fields });
    }
    this.#rest = all.slice(at);
    if (this.#rest.length > MAX_LINE) this.end();
    return records;
  }

  /** @throws UnreadableLineError if a quote is still open */
  end(): void {
    if (this.#rest === '') return;
    throw new UnreadableLineError(this.#line, 'a quote that opens here is never closed');
  }
}

/** Reads the record that begins at `start`; undefined if its last quote is not closed in this text. */
function scanRecord(text: string, start: number): Scanned | undefined {
  const fields: string[] = [];
  let lines = 1;
  const skipLine = (from: number, problem: string): Scanned => {
    const feed = text.indexOf('\n', from);
    return { fields, end: feed < 0 ? text.length : feed + 1, lines, problem };
  };
  for (let at = start; ; at += 1) {
    if (text[at] === '"') {
      const quoted = scanQuoted(text, at);
      if (!quoted) return undefined;
      fields.push(quoted.value);
      lines += quoted.value.split('\n').length - 1;
      at = text.startsWith('\r\n', quoted.end) ? quoted.end + 1 : quoted.end;
      if (at < text.length && text[at] !== ',' && text[at] !== '\n') {
        return skipLine(at, 'text after a closing quote');
      }
    } else {
      const from = at;
      at = endOfPlain(text, from);
      if (text[at] === '"') return skipLine(at, 'a quote inside a field that is not quoted');
      const carriageReturn = text[at] !== ',' && at > from && text[at - 1] === '\r';
      fields.push(text.slice(from, carriageReturn ? at - 1 : at));
    }
    if (text[at] !== ',') return { fields, end: Math.min(text.length, at + 1), lines };
  }
}

/** Returns the end of an unquoted field: a comma, line break, quote, or the end of the text. */
function endOfPlain(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '"') at += 1;
  return at;
}

/** Returns a quoted field and the offset after its closing quote; undefined if the quote is not closed. */
function scanQuoted(text: string, start: number): { value: string; end: number } | undefined {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return undefined;
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}
