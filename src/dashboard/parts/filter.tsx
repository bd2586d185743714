import type { PropsWithChildren } from 'hono/jsx';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { type Place, to } from '../place.ts';

/** A form that narrows a list; it is an ordinary one, so its address can be passed on. */
export function Filter({
  at,
  label,
  names,
  children,
}: PropsWithChildren<{ at: Place; label: string; names: readonly string[] }>) {
  const narrowed = names.some((name) => at.query[name]);
  return (
    <search>
      <form class="filter" method="get" action={`/_sandbox${at.path}`} aria-label={label}>
        {at.world.name !== DEFAULT_WORLD && (
          <input type="hidden" name="world" value={at.world.name} />
        )}
        {children}
        <p class="row">
          <button type="submit">Filter</button>
          {narrowed && (
            <a class="button plain" href={to(at, at.path)}>
              Show all
            </a>
          )}
        </p>
      </form>
    </search>
  );
}
