import type { PropsWithChildren } from 'hono/jsx';
import { ICON_PATH } from './assets.ts';

/** The head of every page that a browser shows, with what it adds to it. */
export function DocumentHead({
  title,
  stylesheet,
  children,
}: PropsWithChildren<{ title: string; stylesheet: string }>) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>{title}</title>
      <link rel="icon" type="image/svg+xml" href={ICON_PATH} />
      <link rel="stylesheet" href={stylesheet} />
      {children}
    </head>
  );
}
