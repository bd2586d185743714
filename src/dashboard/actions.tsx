import type { PropsWithChildren } from 'hono/jsx';
import { Link, urlFor, usePage } from './page.tsx';

interface Call {
  /** Method and path of a control API call, below `/_sandbox`: `POST /orders/ord_1/advance`. */
  call: string;
  query?: Record<string, string>;
  /** Fields of the JSON body, beside those of the form. */
  send?: object;
  /** The question that the browser asks before the call. */
  confirm?: string | undefined;
}

/** A button that makes a call, or a link to a page. */
export type Action = { label: string; primary?: boolean } & (
  | Call
  | { to: string; query: Record<string, string> }
);

/** Renders a form whose fields the script (`ui/browser/actions.js`) sends to the control API as JSON. */
export function ActionForm({
  call,
  query,
  send,
  confirm,
  class: className = 'action',
  label,
  children,
}: PropsWithChildren<Call & { class?: string; label?: string }>) {
  const [method = '', path = ''] = call.split(' ');
  return (
    <form
      class={className}
      aria-label={label}
      method="post"
      action={urlFor(usePage(), path, query)}
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
