import type { PropsWithChildren } from 'hono/jsx';
import type { Place } from '../place.ts';
import { to } from '../place.ts';

export interface ActProps {
  at: Place;
  /** Method and route of the control door: `POST /orders/ord_1/advance`. */
  call: string;
  query?: Record<string, string>;
  /** Members of the body that nobody types. */
  send?: object;
  /** Said when it is done. */
  done: string;
  /** Asked before it is done. */
  confirm?: string | undefined;
  /** Where one goes when it is done; left out, one stays. */
  then?: string | undefined;
}

/**
 * A form that the script sends to the control door as JSON. Fields are named as members, `match.path` as a
 * member of a member; `data-as` says what is made of the text.
 */
export function ActForm(props: PropsWithChildren<ActProps & { class?: string; label?: string }>) {
  const { at, call, query, send, done, confirm, then, children } = props;
  const [method = 'POST', path = ''] = call.split(' ');
  return (
    <form
      class={props.class ?? 'act'}
      aria-label={props.label}
      method="post"
      action={to(at, path, query)}
      data-act={method}
      data-send={send && JSON.stringify(send)}
      data-done={done}
      data-confirm={confirm}
      data-then={then}
      autocomplete="off"
    >
      {children}
      <p class="problem" role="alert" data-problem data-keep hidden />
    </form>
  );
}

/** One button that does one thing. */
export function Act({
  children,
  kind = 'plain',
  about,
  ...act
}: PropsWithChildren<ActProps & { kind?: string; about?: string | undefined }>) {
  return (
    <ActForm {...act}>
      <button type="submit" class={kind}>
        {children}
        {about !== undefined && <span class="unseen"> {about}</span>}
      </button>
    </ActForm>
  );
}
