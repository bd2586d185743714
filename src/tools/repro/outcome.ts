import { lookUp, requireField } from './fields.ts';
import { bytesOf } from './format.ts';
import { parsedJson } from './limits.ts';
import type { ResponseOutput } from './outputs.ts';
import type { InputRecord } from './recording/recording.ts';
import type { Performed, Replay } from './replay.ts';

/** What a target shows that must stay. */
export class Outcome {
  readonly #keep: readonly string[];

  /** @param keep paths of fields of the response; all if empty */
  constructor(keep: readonly string[]) {
    this.#keep = keep;
  }

  /** Returns it in one line; undefined if the target did not happen by what was performed. */
  of(target: InputRecord, place: string, performed: Performed, replay: Replay): string | undefined {
    const output = performed.responses.get(place);
    if (output) return this.#ofResponse(output);
    if (target.kind === 'request' || performed.place !== place) return undefined;
    const { cause, given = [] } = target;
    if (cause.type === 'request' || performed.differences.some(({ path }) => path === 'input')) {
      return undefined;
    }
    const status = replay.client
      .prepare('SELECT status FROM deliveries WHERE id = ?')
      .pluck()
      .get(cause.id ?? '');
    const event = lookUp(parsedJson(performed.sent ?? ''), 'type').value;
    const sends = given.map(({ outcome, http_status }) => `${outcome} ${http_status ?? ''}`);
    return [cause.type, event, ...sends, status].filter(Boolean).join(' ');
  }

  /** @throws PathError for a field to keep that the response does not have */
  assertFields({ response }: ResponseOutput): void {
    for (const path of this.#keep) {
      requireField(jsonOf(response), path, '--keep: the response has no field');
    }
  }

  #ofResponse({ request, response, failedCheck }: ResponseOutput): string {
    const operation = `${request.method} ${request.target}`;
    if ('closed' in response) return `${operation} closed`;
    const isRejected = response.status >= 400;
    const json = this.#keep.length > 0 || isRejected ? jsonOf(response) : undefined;
    const code = isRejected ? [lookUp(json, 'error.code').value ?? ''] : [];
    const check = failedCheck ? [`failed check ${failedCheck}`] : [];
    const kept = this.#keep.map((path) => `${path} ${JSON.stringify(lookUp(json, path).value)}`);
    const whole = isRejected || kept.length > 0 ? [] : [textOf(response)];
    return [[operation, response.status, ...code, ...whole].join(' '), ...check, ...kept].join(
      ', ',
    );
  }
}

type Response = ResponseOutput['response'];

function textOf(response: Response): string {
  if ('closed' in response) return '';
  return 'bytes' in response.body ? response.body.sha256 : bytesOf(response.body).toString();
}

function jsonOf(response: Response): unknown {
  return parsedJson(textOf(response));
}
