import { z } from 'zod';
import { del, get, named, post } from '../../control/endpoint.ts';
import { oneOf, parseInput, requiredText } from '../../http/fields.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { validationError } from '../../kernel/errors.ts';
import { type Fields, resource } from '../../kernel/resource.ts';
import { goliveExport } from './export-file.ts';
import { gateSchema } from './gate.ts';
import { goliveOf } from './golive.ts';
import { groupOf, STATUSES } from './item.ts';
import { ITEMS } from './items.ts';
import { goliveReport, type Report } from './report.ts';

const IDS = ITEMS.map(({ id }) => id);
const GROUPS = [...new Set(IDS.map(groupOf))];

const ALL_WORLDS = 'Covers all worlds, unless `?world=` names one.';

const cleared = resource(
  'ObservationsCleared',
  'The number of deleted observations.',
  ({ count }: Fields<{ cleared: number }>) => ({ cleared: count() }),
);

export const goliveEndpoints = named({
  getGolive: get('/golive', {
    summary: 'List what the integration was seen to handle.',
    description: `The go-live report without a gate. \`group\` and \`status\` select \`items\`; all else is of the whole report. ${ALL_WORLDS}`,
    query: () =>
      z.object({
        group: requiredText(100).optional().describe('Only items of this group.'),
        status: oneOf(STATUSES).optional().describe('Only items in this state.'),
      }),
    response: goliveReport,
    async handle({ namedWorld, context, query: { group, status } }) {
      const golive = goliveOf(context);
      if (group !== undefined) assertKnown('group', [group], GROUPS);
      const report = await golive.report({ world: namedWorld });
      const items = report.items.filter(
        (item) =>
          (group === undefined || item.group === group) &&
          (status === undefined || item.status === status),
      );
      return { ...report, items };
    },
  }),

  deleteObservations: del('/golive/observations', {
    summary: 'Delete observations.',
    description: `\`id\` names items, separated by commas; all if it is absent, and a new run begins. ${ALL_WORLDS}`,
    query: () =>
      z.object({
        id: requiredText(10_000)
          .optional()
          .describe('Items to clear, separated by commas; by default all.'),
      }),
    entersWorld: false,
    response: cleared,
    async handle({ namedWorld, context, query: { id } }) {
      const golive = goliveOf(context);
      const ids = id?.split(',') ?? [];
      assertKnown('id', ids, IDS);
      return { cleared: await golive.clear(namedWorld, ids) };
    },
  }),

  getGoliveExport: get('/golive/export', {
    summary: 'Export all observations.',
    description: `For \`golive --from\` and \`golive merge\`. ${ALL_WORLDS}`,
    query: () =>
      z.object({
        label: requiredText(100).optional().describe('Label of the export.'),
      }),
    response: goliveExport,
    handle: ({ namedWorld: world, context, query: { label } }) =>
      goliveOf(context).export({ world, label }),
  }),

  postGolive: post('/golive', {
    summary: 'Check the gate and make the go-live report.',
    description: `\`gate.content\` is the gate file; without it, every item of level \`must\` that applies is required. Changes nothing. ${ALL_WORLDS}`,
    body: () =>
      z.strictObject({
        gate: z.strictObject({ file: requiredText(1_000), content: z.looseObject({}) }).optional(),
      }),
    logged: false,
    response: goliveReport,
    async handle({ namedWorld: world, context, body: { gate } }): Promise<Report> {
      const golive = goliveOf(context);
      if (!gate) return golive.report({ world });
      const content = parseInput(gateSchema(IDS), gate.content);
      return golive.report({ world, gate: { file: gate.file, content } });
    },
  }),
});

/** @throws validation_error */
function assertKnown(field: string, names: readonly string[], allowed: readonly string[]): void {
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  const fix = didYouMean(unknown, allowed) || ' GET /_sandbox/golive lists them.';
  throw validationError(`${field}: unknown ${field} "${unknown}".${fix}`);
}
