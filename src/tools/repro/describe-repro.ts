import { truncate } from '../../kernel/printable.ts';
import { describeOutcome } from '../../requests/describe-entry.ts';
import type { Repro, RequestRecord } from './format.ts';
import type { ReproSummary } from './result.ts';

export function describeRepro(repro: Repro, file?: { name: string; bytes: number }): ReproSummary {
  const { head, requests } = repro;
  const target = requests.find(({ n }) => n === head.target);
  return {
    file: file?.name ?? null,
    bytes: file?.bytes ?? null,
    world: head.world,
    sandlot: escapeUnprintable(head.sandlot),
    inputs: requests.length,
    target: target ? `#${head.target} ${requestLine(target)}` : 'none',
    personal_data: head.privacy.personal_data,
    verified: head.problem === null,
    problem: head.problem && escapeUnprintable(head.problem),
  };
}

/** Escapes all invisible characters, line breaks included, because a file may come from anyone. */
export function escapeUnprintable(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

export function escapeAndShorten(text: string, max = 60): string {
  // A text may have megabytes, and escaping never shortens it.
  return truncate(escapeUnprintable(text.slice(0, max + 1)), max);
}

/** `POST /api/partner/v1/orders 422 quote_expired` */
function requestLine(request: RequestRecord): string {
  const { method, target } = request;
  return `${escapeAndShorten(method, 12)} ${escapeAndShorten(target)} ${escapeAndShorten(describeOutcome(request))}`;
}
