import { headerOf } from '../../requests/logged-request.ts';
import { textOf as bodyText } from './format.ts';
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

export function filterInputs(inputs: readonly InputRecord[], filter: InputFilter): InputRecord[] {
  const { grep = '', status, key, order } = filter;
  const text = grep.toLowerCase();
  return inputs.filter((input) => {
    if (!textOf(input).toLowerCase().includes(text)) return false;
    if (input.kind === 'act') {
      return status === undefined && key === undefined && textOf(input).includes(order ?? '');
    }
    return (
      (status === undefined || hasStatus(input, status)) &&
      (key === undefined || keyOf(input) === key) &&
      (order === undefined || names(input, order))
    );
  });
}

/** The key ID that a request names. */
export function keyOf({ headers }: RequestRecord): string | undefined {
  return headerOf(headers, 'x-service-key-id');
}

/** All texts of an input that a person would look for. */
export function textOf(input: InputRecord): string {
  if (input.kind === 'act') {
    const { cause, params } = input;
    return `${cause.type} ${'id' in cause ? cause.id : ''} ${params?.body ?? ''}`;
  }
  const { method, target, body, response, request_id } = input;
  return `${method} ${target} ${request_id} ${bodyText(body)} ${bodyText(response)}`;
}

function hasStatus({ response }: RequestRecord, wanted: string): boolean {
  if (!response) return false;
  const status = 'closed' in response ? 'closed' : String(response.status);
  return wanted.endsWith('xx') ? status[0] === wanted[0] && status !== 'closed' : status === wanted;
}
