import { pageOf } from '../control/object-pages.ts';
import { describeOutcome, toneOfResponse } from '../requests/describe-entry.ts';
import type { LoggedRequest } from '../requests/logged-request.ts';
import { Badge, Mono } from '../ui/text.tsx';
import type { ControlClock } from '../world/resources.ts';
import { Link } from './page.tsx';

/** Renders sandbox time. `tickClocks` (`ui/browser/live.js`) moves a running clock, in the same format. */
export function Clock({ clock: { now, frozen } }: { clock: ControlClock }) {
  return (
    <span class={frozen ? 'clock frozen' : 'clock'}>
      <time datetime={now}>
        {now.slice(0, 10)} {now.slice(11, 19)}Z
      </time>{' '}
      <span class="state">{frozen ? 'frozen' : 'running'}</span>
    </span>
  );
}

/** Renders the status and the error code of a response. */
export function OutcomeBadge({ request }: { request: Pick<LoggedRequest, 'status' | 'code'> }) {
  return <Badge tone={toneOfResponse(request)}>{describeOutcome(request)}</Badge>;
}

/** Renders an id as a link to its page, if there is one. */
export function ItemLink({ id }: { id: string }) {
  const page = pageOf(id);
  if (page === undefined) return <Mono>{id}</Mono>;
  return (
    <Link to={page.path} query={page.query ?? {}} title={id}>
      <Mono>{id}</Mono>
    </Link>
  );
}
