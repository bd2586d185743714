import { z } from 'zod';
import { type ControlCall, get, named, post } from '../../control/endpoint.ts';
import { flag, missingOr, requiredText, wholeNumber } from '../../http/fields.ts';
import { type Fields, resource } from '../../kernel/resource.ts';
import type { AnalysisRequest, Steps } from './analyze.ts';
import type { InputLine } from './describe.ts';
import { type OpenedState, requireOpenedRepro } from './opened-repro.ts';
import type { ExportedRepro } from './result.ts';
import { inventoryDigest } from './rows.ts';
import { readInstant, SINCE_ERROR } from './since.ts';
import type { ValueCause, ValueChange } from './why.ts';
import type { ObjectChange } from './world-objects.ts';

const REPRO_MEDIA_TYPE = 'application/vnd.sandlot.repro+jsonl';
const SUMMARY_HEADER = 'X-Sandlot-Repro-Summary';
const SELECTORS = ['request', 'order', 'domain', 'last', 'since'] as const;

const body = z
  .strictObject({
    request: requiredText(100).optional().describe('Request ID; by default the newest request.'),
    order: requiredText(100).optional().describe('Order ID: the last request that names it.'),
    domain: requiredText(100).optional().describe('Domain: the last request that names it.'),
    last: wholeNumber(1, 10_000)
      .optional()
      .describe('Number of newest requests; the target is the newest that was rejected.'),
    since: z
      .string({ error: missingOr('must be text') })
      .refine((text) => readInstant(text, 0) !== undefined, SINCE_ERROR)
      .optional()
      .describe('Real time, or a duration before now.'),
    keep_personal_data: flag().default(false).describe('Replaces secrets only.'),
  })
  .refine((fields) => SELECTORS.filter((name) => fields[name] !== undefined).length <= 1, {
    path: ['request'],
    error: 'pass only one of request, order, domain, last and since',
  });

const inventory = resource(
  'ReproInventory',
  'The inventory of a world, to compare it with that of a repro file.',
  ({ text }: Fields<{ digest: string }>) => ({ digest: text() }),
);

const input = resource(
  'ReproInput',
  'A request, or an act that no request caused.',
  ({ text, time }: Fields<InputLine>) => ({
    place: text().describe('`12`, or `12.1` for the first read after act 12.'),
    request_id: text().nullable(),
    time: time().describe('Real time.'),
    text: text(),
    result: text(),
  }),
);

const change = resource(
  'ReproChange',
  'How an act changed an object.',
  ({ text, oneOf, value }: Fields<ObjectChange>) => ({
    type: text().describe('`order`, `quote`, `delivery`, `clock` and so on.'),
    id: text(),
    change: oneOf(['added', 'changed', 'removed']),
    fields: value(() => z.record(z.string(), z.array(z.unknown()).length(2))).describe(
      'Old and new value of each field that differs; null where there is none.',
    ),
  }),
);

const state = resource(
  'ReproState',
  'The state of a sandbox that a repro file opened.',
  ({ text, count, object, list }: Fields<OpenedState>) => ({
    at: count().describe('Number of the last act; 0 before the first.'),
    first: count(),
    last: count(),
    digest: text().describe('SHA-256 over the state after that act.'),
    input: object(input).nullable().describe('Input of the act.'),
    difference: list(change).describe('How the act changed the state.'),
    discarded: count().describe('Number of manual acts that the last step discarded.'),
  }),
);

const PLACE = /^#?\d+(?:\.\d+)?$/;
const NUMBER = 'must be a number such as 12 or "12.1"';
const STEPS = ['to', 'by', 'order'] as const;

const step = z
  .strictObject({
    to: z
      .union([z.int(NUMBER).min(0, NUMBER), z.string().regex(PLACE, NUMBER)], NUMBER)
      .transform(String)
      .optional()
      .describe('An act, or the state that an input saw.'),
    by: z
      .union([z.literal(1), z.literal(-1)], 'must be 1 or -1')
      .optional()
      .describe('The next act, or the one before.'),
    order: requiredText(100).optional().describe('The next act that changes this order.'),
  })
  .refine((fields) => STEPS.filter((name) => fields[name] !== undefined).length === 1, {
    path: ['to'],
    error: 'pass one of to, by and order',
  });

const steps = resource(
  'ReproSteps',
  'The recorded steps up to a request, and how the one at `at` changed the state.',
  ({ text, list }: Fields<Steps>) => ({
    at: text(),
    steps: list(input),
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
      .from((row) => row.request_id),
    cause: text().describe('`request`, a kind of scheduled work, or `time`.'),
    now: text().describe('Sandbox time.'),
    old: value(() => z.unknown()),
    new: value(() => z.unknown()),
  }),
);

const cause = resource(
  'ReproCause',
  'What set a value: the changes, oldest first. Without changes, it is as before the recording.',
  ({ text, value, list }: Fields<ValueCause>) => ({
    path: text(),
    id: text(),
    value: value(() => z.unknown()),
    changes: list(valueChange),
  }),
);

const requestField = {
  request: requiredText(100).optional().describe('Request ID; by default the newest request.'),
};
const at = z
  .string()
  .regex(PLACE, 'must be a number such as 12 or 12.1')
  .optional()
  .describe('Place of a step; by default the request.');

export const reproEndpoints = named({
  getRepro: get('/repro', {
    summary: 'Show the current act of a sandbox that a repro file opened.',
    description:
      'For a sandbox that `sandlot repro open` serves; 409 `conflict` for any other. The digest and the difference are those of the file, without manual changes.',
    response: state,
    handle: ({ context }) => requireOpenedRepro(context.worlds).state,
  }),

  stepRepro: post('/repro/step', {
    summary: 'Step to another act of the file.',
    description:
      'Restores the state after that act, and discards manual changes. The same act has the same digest. 409 `conflict` if no later act changes the order, or no file opened the sandbox.',
    body: () => step,
    response: state,
    logged: false,
    async handle({ context, body }) {
      const openedRepro = requireOpenedRepro(context.worlds);
      await openedRepro.step(body);
      return openedRepro.state;
    },
  }),

  getReproInventory: get('/repro/inventory', {
    summary:
      'Show the digest of the inventory: equal ones have the same domains, prices and states.',
    description:
      'SHA-256 over all listings. `repro replay --against` compares values only if both sandboxes have the same.',
    response: inventory,
    async handle({ world }) {
      world.flush();
      return { digest: await inventoryDigest(() => world.store.client) };
    },
  }),

  exportRepro: post('/repro/export', {
    summary: 'Export what happened as a repro file, which replays anywhere.',
    description:
      'The file contains the inputs of the world up to the target: that request, the last one that names the order or the domain, or else the newest. Secrets are never in it, and personal data is replaced. A summary as JSON is in the header `X-Sandlot-Repro-Summary`; its `verified` is false if a replay gave another response. 409 `conflict` if nothing is recorded for the selection.',
    body: () => body,
    streamTypes: [REPRO_MEDIA_TYPE],
    logged: false,
    async handle({ world, context, body: { keep_personal_data, ...selection } }) {
      const { exportRepro } = await import('./service.ts');
      const options = { ...selection, keepPersonalData: keep_personal_data };
      return fileResponse(await exportRepro(context, world, options));
    },
  }),

  minimizeRepro: post('/repro/minimize', {
    summary: 'Export the smallest repro file in which a request has the same outcome.',
    description:
      'Leaves out inputs, fields and headers as long as the request has the same outcome, for at most 45 seconds. The summary is in the header, as of an export. 409 `conflict` if the recording does not replay.',
    body: () => z.strictObject(requestField),
    streamTypes: [REPRO_MEDIA_TYPE],
    logged: false,
    handle: async (call) => {
      return fileResponse(await runAnalysis(call, call.body.request, { kind: 'minimize' }));
    },
  }),

  getReproSteps: get('/repro/steps', {
    summary: 'List what was recorded up to a request, and how a step changed the state.',
    description: 'Each request and each act of scheduled work, oldest first.',
    query: () => z.object({ ...requestField, at }),
    response: steps,
    handle: async (call) => {
      const { request, at: place } = call.query;
      return (await runAnalysis(call, request, { kind: 'steps', at: place })).analysis as Steps;
    },
  }),

  getReproWhy: get('/repro/why', {
    summary: 'Show what set a value that a request saw.',
    description:
      'Types are order, quote, delivery, listing, webhook, credential, session, case and balance. 404 `not_found` if the object does not exist at that point.',
    query: () =>
      z.object({
        ...requestField,
        at,
        path: requiredText(200).describe('`TYPE.FIELD`, or `TYPE[ID].FIELD`.'),
      }),
    response: cause,
    handle: async (call) => {
      const { request, at: place, path } = call.query;
      return (await runAnalysis(call, request, { kind: 'why', path, at: place }))
        .analysis as ValueCause;
    },
  }),
});

async function runAnalysis(
  { context, world }: Pick<ControlCall, 'context' | 'world'>,
  request: string | undefined,
  analysis: AnalysisRequest,
) {
  const { exportRepro } = await import('./service.ts');
  return exportRepro(context, world, { request, analysis });
}

function fileResponse({ bytes, summary }: ExportedRepro): Response {
  return new Response(new Uint8Array(bytes), {
    headers: {
      'Content-Type': REPRO_MEDIA_TYPE,
      'Content-Length': String(bytes.length),
      'Content-Disposition': `attachment; filename="${summary.file}"`,
      'Cache-Control': 'no-store',
      [SUMMARY_HEADER]: asciiJson(summary),
    },
  });
}

/** JSON for a header, which takes only ASCII. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
