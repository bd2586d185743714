import { Field } from '../../ui/form.tsx';
import { Text } from '../../ui/text.tsx';
import { DEFAULT_WORLD } from '../../world/files.ts';
import { urlInWorld } from '../../world/urls.ts';
import type { PageContext, RenderedPage } from '../page.tsx';
import { ListPager } from '../resource-pages.tsx';

/** @param to the page to open afterwards */
export function signInPage(to: string, problem?: string): RenderedPage {
  return {
    title: 'Sign in',
    status: 401,
    content: (
      <form
        class="card form sign-in"
        method="post"
        action={`/_sandbox/dashboard/session?to=${encodeURIComponent(to)}`}
      >
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

/** @param page the page that failed, if known: a list whose cursor is invalid then links to its first page */
export function errorPage(status: number, message: string, page?: PageContext): RenderedPage {
  const title = TITLES[status] ?? 'Request rejected';
  const world = page?.world.name ?? DEFAULT_WORLD;
  return {
    title,
    status,
    content: (
      <>
        <h1>{title}</h1>
        <p class="problem" role="alert">
          <Text>{message}</Text>
        </p>
        {page && <ListPager next={null} />}
        <p>
          {/* Not a `Link`: the page may be unknown. */}
          <a href={urlInWorld(world, '/')}>Go to the overview of world {world}</a>
        </p>
      </>
    ),
  };
}

const TITLES: Readonly<Record<number, string>> = {
  404: 'Page not found',
  500: 'Something went wrong',
};
