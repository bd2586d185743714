import { Field } from '../../ui/form.tsx';
import { escapeInvisible } from '../../ui/text.tsx';
import type { RenderedPage } from '../page.tsx';

export function signInPage(problem?: string): RenderedPage {
  return {
    title: 'Sign in',
    status: 401,
    content: (
      <form class="card form sign-in" method="post" action="/_sandbox/dashboard/session">
        <h1>Sign in</h1>
        <p class="quiet">
          This sandbox was started with <code>--control-token</code>. Your browser stays signed in
          until you close it.
        </p>
        <Field
          label="Token"
          id="token"
          name="token"
          type="password"
          problem={problem}
          required
          autofocus
          autocomplete="current-password"
        />
        <p class="row">
          <button type="submit">Sign in</button>
        </p>
      </form>
    ),
  };
}

export function errorPage(status: number, message: string): RenderedPage {
  const title = TITLES[status] ?? 'Request rejected';
  return {
    title,
    status,
    content: (
      <>
        <h1>{title}</h1>
        <div class="empty error" role="alert">
          <p>
            <strong>
              <bdi>{escapeInvisible(message)}</bdi>
            </strong>
          </p>
          <p>
            <a href="/_sandbox/">Go to the overview of the default world</a>
          </p>
        </div>
      </>
    ),
  };
}

const TITLES: Readonly<Record<number, string>> = {
  404: 'Page not found',
  500: 'Something went wrong',
};
