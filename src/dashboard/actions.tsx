import type { PropsWithChildren } from 'hono/jsx';
import { urlInWorld } from '../world/urls.ts';
import { usePage } from './page.tsx';

interface CallProps {
  /** Method and route of the control API: `POST /orders/ord_1/advance`. */
  call: string;
  query?: Record<string, string>;
  /** Fields of the body that are not in the form. */
  send?: object;
  /** Asked before it is done. */
  confirm?: string | undefined;
  /** URL to open after it is done; `REQUEST_ID` is that of the response. */
  then?: string | undefined;
}

/** Renders a form that the script sends to the control API as JSON. */
export function ActionForm({
  call,
  query,
  send,
  confirm,
  then,
  class: kind = 'action',
  label,
  children,
}: PropsWithChildren<CallProps & { class?: string; label?: string }>) {
  const [method = '', path = ''] = call.split(' ');
  return (
    <form
      class={kind}
      aria-label={label}
      method="post"
      action={urlInWorld(usePage().world.name, path, query)}
      data-method={method}
      data-send={send && JSON.stringify(send)}
      data-confirm={confirm}
      data-then={then}
      autocomplete="off"
    >
      {children}
      <p class="problem" role="alert" data-problem data-keep hidden />
    </form>
  );
}

/** Renders a button that makes one call. `about` distinguishes it for screen readers. */
export function ActionButton({
  children,
  primary = false,
  about,
  ...call
}: PropsWithChildren<CallProps & { primary?: boolean; about?: string }>) {
  return (
    <ActionForm {...call}>
      <button type="submit" class={primary ? 'primary' : 'plain'}>
        {children}
        {about !== undefined && <span class="unseen"> {about}</span>}
      </button>
    </ActionForm>
  );
}
