import { lookUp, requireField } from './fields.ts';
import { bytesOf } from './format.ts';
import { parsedJson } from './limits.ts';
import type { InputRecord, RequestRecord, ResponseRecord } from './recording/recording.ts';
import type { Replay } from './replay.ts';

/** What a target shows that must stay. */
export class Outcome {
  readonly #keep: readonly string[];

  /** @param keep paths of fields of the response; all if empty */
  constructor(keep: readonly string[]) {
    this.#keep = keep;
  }

  /** Returns it in one line, right after the target was performed; undefined before, or if it was not done. */
  of(target: InputRecord, replay: Replay): string | undefined {
    const now = replay.made.get(target);
    if (now?.kind === 'request') return now.response && this.#ofResponse(now, now.response);
    if (!now || now.cause.type === 'request') return undefined;
    const { cause, params, given = [] } = now;
    const status = replay.client
      .prepare('SELECT status FROM deliveries WHERE id = ?')
      .pluck()
      .get(cause.id ?? '');
    const event = lookUp(parsedJson(params?.body ?? ''), 'type').value;
    const sends = given.map(({ outcome, http_status }) => `${outcome} ${http_status ?? ''}`);
    return [cause.type, event, ...sends, status].filter(Boolean).join(' ');
  }

  /** @throws PathError for a field to keep that the response does not have */
  assertFields(now: InputRecord | undefined): void {
    if (now?.kind !== 'request' || !now.response) return;
    for (const path of this.#keep) {
      requireField(jsonOf(now.response), path, '--keep: the response has no field');
    }
  }

  #ofResponse({ method, target, failed_check }: RequestRecord, response: ResponseRecord): string {
    const operation = `${method} ${target}`;
    if ('closed' in response) return `${operation} closed`;
    const isRejected = response.status >= 400;
    const json = this.#keep.length > 0 || isRejected ? jsonOf(response) : undefined;
    const code = isRejected ? [lookUp(json, 'error.code').value ?? ''] : [];
    const check = failed_check ? [`failed check ${failed_check}`] : [];
    const kept = this.#keep.map((path) => `${path} ${JSON.stringify(lookUp(json, path).value)}`);
    const whole = isRejected || kept.length > 0 ? [] : [textOf(response)];
    return [[operation, response.status, ...code, ...whole].join(' '), ...check, ...kept].join(
      ', ',
    );
  }
}

function textOf(response: ResponseRecord): string {
  if ('closed' in response) return '';
  return 'bytes' in response.body ? response.body.sha256 : bytesOf(response.body).toString();
}

function jsonOf(response: ResponseRecord): unknown {
  return parsedJson(textOf(response));
}
