import { z } from 'zod';
import { isoTimeText, missingOr, pageQuery } from '../http/fields.ts';
import { NOTES } from '../kernel/answer.ts';
import { conflict } from '../kernel/errors.ts';
import { isoTime, parseDuration } from '../kernel/time.ts';
import { listUpcoming, type Upcoming } from '../schedule/agenda.ts';
import type { Clock } from '../world/clock.ts';
import type { World } from '../world/world.ts';
import { clockSchema, reachedSchema, upcomingPageSchema } from './clock-schema.ts';
import { controlEndpoint } from './endpoint.ts';

/** The clock as the control door shows it: `now` in sandbox time, `offset_ms` from real time. */
export function clockView(clock: Clock) {
  const { nowMs, offsetMs, frozen } = clock.reading();
  return { now: isoTime(nowMs), offset_ms: offsetMs, frozen };
}

export const duration = z
  .string({ error: missingOr('must be text') })
  .transform((text, context) => {
    const ms = parseDuration(text);
    if (ms !== undefined) return ms;
    context.addIssue({
      code: 'custom',
      message: 'must be a duration such as 90s, 11m, 1h30m or 2d',
    });
    return z.NEVER;
  })
  .register(NOTES, { description: 'A duration such as 90s, 11m, 1h30m or 2d.' });

const instant = z.string({ error: missingOr('must be text') }).pipe(isoTimeText());

export const getClock = controlEndpoint({
  name: 'getClock',
  method: 'GET',
  path: '/clock',
  summary: 'Sandbox time, its offset from real time, and whether it stands still.',
  status: 200,
  answer: clockSchema,
  handle: ({ world }) => clockView(world.clock),
});

export const postClockAdvance = controlEndpoint({
  name: 'postClockAdvance',
  method: 'POST',
  path: '/clock/advance',
  summary: 'Moves the clock forward; what falls due on the way happens in order, at its own time.',
  body: z.strictObject({ by: duration }),
  errors: ['conflict'],
  status: 200,
  answer: clockSchema,
  async handle({ world, machinery, body }) {
    await machinery.schedulers.of(world).travelBy(body.by);
    return clockView(world.clock);
  },
});

export const postClockSet = controlEndpoint({
  name: 'postClockSet',
  method: 'POST',
  path: '/clock/set',
  summary: 'Moves the clock forward to a moment, as advance does.',
  body: z.strictObject({ to: instant }),
  errors: ['conflict'],
  status: 200,
  answer: clockSchema,
  async handle({ world, machinery, body }) {
    await machinery.schedulers.of(world).travel(body.to);
    return clockView(world.clock);
  },
});

export const postClockFreeze = controlEndpoint({
  name: 'postClockFreeze',
  method: 'POST',
  path: '/clock/freeze',
  summary: 'Stops the clock where it is.',
  body: z.strictObject({}),
  status: 200,
  answer: clockSchema,
  handle: ({ world }) => setFrozen(world, true),
});

export const postClockResume = controlEndpoint({
  name: 'postClockResume',
  method: 'POST',
  path: '/clock/resume',
  summary: 'Lets the clock run on from where it stands.',
  body: z.strictObject({}),
  status: 200,
  answer: clockSchema,
  handle: ({ world }) => setFrozen(world, false),
});

export const getClockUpcoming = controlEndpoint({
  name: 'getClockUpcoming',
  method: 'GET',
  path: '/clock/upcoming',
  summary: 'What falls due, and when, soonest first.',
  query: z.object(pageQuery()),
  status: 200,
  answer: upcomingPageSchema,
  handle: ({ world, query }) =>
    world.peek((tx) => {
      const { rows, next_cursor } = listUpcoming(tx, query);
      return { upcoming: rows.map(upcomingView), next_cursor };
    }),
});

export const postClockNext = controlEndpoint({
  name: 'postClockNext',
  method: 'POST',
  path: '/clock/next',
  summary: 'Moves the clock to whatever falls due next.',
  body: z.strictObject({}),
  errors: ['conflict'],
  status: 200,
  answer: reachedSchema,
  async handle({ world, machinery }) {
    const reached = await machinery.schedulers.of(world).travelToNext();
    if (!reached) throw conflict('nothing is due: no delivery, order move or expiry lies ahead');
    return { reached: upcomingView(reached), clock: clockView(world.clock) };
  },
});

async function setFrozen(world: World, frozen: boolean) {
  await world.transact((tx) => {
    world.clock.setFrozen(frozen);
    tx.workAppeared();
  });
  return clockView(world.clock);
}

function upcomingView({ kind, at, id, what }: Upcoming) {
  return { kind, at: isoTime(at), id, what };
}
