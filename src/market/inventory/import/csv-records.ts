import { UnreadableLineError } from './raw-row.ts';
import { MAX_LINE } from './whole-lines.ts';

/** A record of a CSV file; one with a problem was passed over up to the end of its line. */
export type CsvRecord = { line: number; fields: string[] } | { line: number; problem: string };

const [LINE_FEED, QUOTE, COMMA] = [0x0a, 0x22, 0x2c];

/**
 * Reads CSV as RFC 4180 writes it, record by record, and says of each on which line it begins. Our own and
 * not a library's, because a record with a stray quote must be named and passed over, not end the reading.
 */
export class CsvRecords {
  #rest = '';
  /** Where the record at the beginning of `#rest` begins. */
  #line = 1;

  /** The records that have ended by now; `text` ends with a line. @throws UnreadableLineError */
  read(text: string): CsvRecord[] {
    const all = this.#rest + text;
    const records: CsvRecord[] = [];
    let at = 0;
    while (at < all.length) {
      const record = recordAt(all, at);
      if (!record) break;
      const line = this.#line;
      this.#line += record.lines;
      at = record.end;
      if (record.problem !== undefined) records.push({ line, problem: record.problem });
      // An empty line is no record of one empty field.
      else if (record.fields.length > 1 || record.fields[0] !== '') {
        records.push({ line, fields: record.fields });
      }
    }
    this.#rest = all.slice(at);
    if (this.#rest.length > MAX_LINE) throw this.#unclosed();
    return records;
  }

  /** @throws UnreadableLineError when a quote is still open */
  end(): void {
    if (this.#rest !== '') throw this.#unclosed();
  }

  #unclosed(): UnreadableLineError {
    return new UnreadableLineError(this.#line, 'a quote that opens here is never closed');
  }
}

interface Scanned {
  fields: string[];
  /** Behind the line break that ends it. */
  end: number;
  /** How many line breaks it spans. */
  lines: number;
  problem?: string;
}

/** The record that begins at `start`; undefined when its last quote is not closed in this text. */
function recordAt(text: string, start: number): Scanned | undefined {
  const fields: string[] = [];
  let lines = 0;
  const passedOver = (from: number, problem: string): Scanned => {
    const feed = text.indexOf('\n', from);
    return { fields, end: feed < 0 ? text.length : feed + 1, lines: lines + 1, problem };
  };
  for (let at = start; ; ) {
    let end: number;
    if (text.charCodeAt(at) === QUOTE) {
      const quoted = quotedAt(text, at);
      if (!quoted) return undefined;
      fields.push(quoted.value);
      lines += quoted.lines;
      end = quoted.end;
      if (text.startsWith('\r\n', end)) end += 1;
      const next = text.charCodeAt(end);
      if (end < text.length && next !== COMMA && next !== LINE_FEED) {
        return passedOver(end, 'text behind a closing quote');
      }
    } else {
      end = plainEnd(text, at);
      if (text.charCodeAt(end) === QUOTE) {
        return passedOver(end, 'a quote inside a field that is not quoted');
      }
      const last = end === text.length || text.charCodeAt(end) === LINE_FEED;
      fields.push(text.slice(at, last && text[end - 1] === '\r' && end > at ? end - 1 : end));
    }
    if (text.charCodeAt(end) !== COMMA) {
      return { fields, end: Math.min(text.length, end + 1), lines: lines + 1 };
    }
    at = end + 1;
  }
}

/** Where an unquoted field ends: at a comma, a line break, the end, or a quote that should not be there. */
function plainEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === LINE_FEED || code === QUOTE) break;
  }
  return at;
}

/** A quoted field; `end` lies behind its closing quote. */
function quotedAt(
  text: string,
  start: number,
): { value: string; end: number; lines: number } | undefined {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return undefined;
    value += text.slice(from, quote);
    if (text.charCodeAt(quote + 1) !== QUOTE) {
      return { value, end: quote + 1, lines: countLines(value) };
    }
    value += '"';
    from = quote + 2;
  }
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
