import type { ControlClock } from '../../world/resources.ts';

/** A moment: to the second, or with `ms` to the millisecond; the whole of it in the title. */
export function When({ at, ms = false }: { at: string; ms?: boolean }) {
  return (
    <time class="when" datetime={at} title={at}>
      <span class="day">{at.slice(0, 10)}</span> {at.slice(11, ms ? 23 : 19)}
    </time>
  );
}

/** Sandbox time; a running clock is moved on by the script. */
export function Clock({ reading: { now, frozen } }: { reading: ControlClock }) {
  return (
    <span class={frozen ? 'clock frozen' : 'clock'}>
      <time class="when" datetime={now} data-ticks={frozen ? undefined : now}>
        {now.slice(0, 10)} {now.slice(11, 19)}
      </time>{' '}
      <span class="state">{frozen ? 'frozen' : 'running'}</span>
    </span>
  );
}
