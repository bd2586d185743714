import { bytesOf } from './format.ts';
import type { InputRecord, RequestRecord } from './recording/recording.ts';
import { names } from './select.ts';

/** Selects inputs; all that are given must hold. */
export interface InputFilter {
  /** A text of the request line, the bodies or the id, in any case. */
  grep?: string | undefined;
  /** `409`, `4xx` or `closed`. */
  status?: string | undefined;
  /** Key ID of the credential. */
  key?: string | undefined;
  /** ID of an order. */
  order?: string | undefined;
}

export const STATUS_FORM = /^(?:[1-5](?:\d\d|xx)|closed)$/;

export function filterInputs(
  inputs: readonly InputRecord[],
  { grep, status, key, order }: InputFilter,
): InputRecord[] {
  const text = grep?.toLowerCase();
  return inputs.filter(
    (input) =>
      (text === undefined || textOf(input).toLowerCase().includes(text)) &&
      (status === undefined || (input.kind === 'request' && hasStatus(input, status))) &&
      (key === undefined || (input.kind === 'request' && keyOf(input) === key)) &&
      (order === undefined ||
        (input.kind === 'request' ? names(input, order) : textOf(input).includes(order))),
  );
}

/** The key ID that a request names. */
export function keyOf({ headers }: RequestRecord): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === 'x-service-key-id')?.[1];
}

/** All texts of an input that a person would look for. */
export function textOf(input: InputRecord): string {
  if (input.kind === 'act') {
    const { cause, params } = input;
    return `${cause.type} ${'id' in cause ? cause.id : ''} ${params?.body ?? ''}`;
  }
  const { method, target, body, response, request_id } = input;
  const answered =
    response && 'status' in response && !('bytes' in response.body) ? response.body : null;
  return `${method} ${target} ${request_id} ${bytesOf(body)} ${bytesOf(answered)}`;
}

function hasStatus({ response }: RequestRecord, wanted: string): boolean {
  if (!response) return false;
  const status = 'closed' in response ? 'closed' : String(response.status);
  return wanted.endsWith('xx') ? status[0] === wanted[0] && status !== 'closed' : status === wanted;
}
