import { z } from 'zod';
import { type ControlCall, get, named, post } from '../../control/endpoint.ts';
import { requiredText } from '../../http/fields.ts';
import { type Fields, resource } from '../../kernel/resource.ts';
import { SECOND } from '../../kernel/time.ts';
import type { Question, Steps } from './analyze.ts';
import { change, fileResponse, PLACE, REPRO_MEDIA_TYPE } from './endpoints.ts';
import type { ValueChange, Why } from './why.ts';

/** So that a client does not give up before. */
const MAX_MINIMIZE_MS = 45 * SECOND;

const stepRow = resource(
  'ReproStep',
  'A request, or an act that no request caused.',
  ({ text, time }: Fields<Steps['steps'][number]>) => ({
    place: text().describe('`12`, or `12.1` for the first read after act 12.'),
    request_id: text().nullable(),
    time: time().describe('Real time.'),
    text: text(),
    result: text(),
  }),
);

const steps = resource(
  'ReproSteps',
  'The recorded steps up to a request, and how the one at `at` changed the state.',
  ({ text, list }: Fields<Steps>) => ({
    at: text(),
    steps: list(stepRow),
    difference: list(change),
  }),
);

const valueChange = resource(
  'ReproValueChange',
  'An act that changed a value, or the last one before it changed by passing time.',
  ({ count, text, value }: Fields<ValueChange>) => ({
    n: count(),
    request_id: text()
      .nullable()
      .from((each) => each.request_id),
    cause: text().describe('`request`, a kind of scheduled work, or `time`.'),
    now: text().describe('Sandbox time.'),
    old: value(() => z.unknown()),
    new: value(() => z.unknown()),
  }),
);

const cause = resource(
  'ReproCause',
  'What set a value: the changes, oldest first. Without changes, it is as before the recording.',
  ({ text, value, list }: Fields<Why>) => ({
    path: text(),
    id: text(),
    value: value(() => z.unknown()),
    changes: list(valueChange),
  }),
);

const selected = {
  request: requiredText(100).optional().describe('Request ID; by default the newest request.'),
};
const at = z
  .string()
  .regex(PLACE, 'must be a number such as 12 or 12.1')
  .optional()
  .describe('Place of a step; by default the request.');

/** What a file would tell, from the recording of the running sandbox. */
export const analysisEndpoints = named({
  minimizeRepro: post('/repro/minimize', {
    summary: 'Export the smallest repro file that shows what a request shows.',
    description:
      'Leaves out inputs, fields and headers as long as the request has the same outcome, for at most 45 seconds. The summary is in the header, as of an export. 409 `conflict` if the recording does not replay.',
    body: () => z.strictObject(selected),
    streamTypes: [REPRO_MEDIA_TYPE],
    logged: false,
    handle: async (call) => {
      const question = { kind: 'minimize', maxTime: MAX_MINIMIZE_MS } as const;
      return fileResponse(await ask(call, call.body.request, question));
    },
  }),

  getReproSteps: get('/repro/steps', {
    summary: 'List what was recorded up to a request, and how a step changed the state.',
    description: 'Each request and each act of scheduled work, oldest first.',
    query: () => z.object({ ...selected, at }),
    response: steps,
    handle: async (call) => {
      const { request, at: place } = call.query;
      return (await ask(call, request, { kind: 'steps', at: place })).answer as Steps;
    },
  }),

  getReproWhy: get('/repro/why', {
    summary: 'Show what set a value that a request saw.',
    description:
      'Types are order, quote, delivery, listing, webhook, credential, session, case and balance. 404 `not_found` if the object does not exist at that point.',
    query: () =>
      z.object({
        ...selected,
        at,
        path: requiredText(200).describe('`TYPE.FIELD`, or `TYPE[ID].FIELD`.'),
      }),
    response: cause,
    handle: async (call) => {
      const { request, at: place, path } = call.query;
      return (await ask(call, request, { kind: 'why', path, at: place })).answer as Why;
    },
  }),
});

async function ask(
  { context, world }: Pick<ControlCall, 'context' | 'world'>,
  request: string | undefined,
  question: Question,
) {
  const { exportRepro } = await import('./service.ts');
  return exportRepro(context, world, { request, question });
}
