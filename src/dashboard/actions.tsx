import type { PropsWithChildren } from 'hono/jsx';
import { urlInWorld } from '../world/urls.ts';
import { Link, usePage } from './page.tsx';

interface Call {
  /** Method and route of the control API: `POST /orders/ord_1/advance`. */
  call: string;
  query?: Record<string, string>;
  /** Fields of the body that are not in the form. */
  send?: object;
  /** Asked before it is done. */
  confirm?: string | undefined;
}

/** A button that makes a call, or a link to a page. */
export type Action = { label: string; primary?: boolean } & (
  | Call
  | { to: string; query: Record<string, string> }
);

/** Renders a form that the script sends to the control API as JSON. */
export function ActionForm({
  call,
  query,
  send,
  confirm,
  class: kind = 'action',
  label,
  children,
}: PropsWithChildren<Call & { class?: string; label?: string }>) {
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
      autocomplete="off"
    >
      {children}
      <p class="problem" role="alert" data-problem data-keep hidden />
    </form>
  );
}

/** @param props.about distinguishes equal buttons for screen readers */
export function Actions({ actions, about }: { actions: readonly Action[]; about?: string }) {
  return (
    <>
      {actions.map(({ label, primary, ...action }) => {
        const text = (
          <>
            {label}
            {about !== undefined && <span class="visually-hidden"> {about}</span>}
          </>
        );
        if ('to' in action) return <Link {...action}>{text}</Link>;
        return (
          <ActionForm {...action}>
            <button type="submit" class={primary ? 'primary' : 'plain'}>
              {text}
            </button>
          </ActionForm>
        );
      })}
    </>
  );
}
