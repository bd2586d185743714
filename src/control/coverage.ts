import { z } from 'zod';
import { coverageExport } from '../coverage/export-file.ts';
import { gateSchema } from '../coverage/gate.ts';
import { groupOf, type Item, STATUSES } from '../coverage/item.ts';
import { goliveReport, type Report } from '../coverage/report.ts';
import { oneOf, requiredText } from '../http/fields.ts';
import { parseInput } from '../http/input.ts';
import { parseHttpUrl } from '../kernel/addresses.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { validationError } from '../kernel/errors.ts';
import { type Fields, resource } from '../kernel/resource.ts';
import { del, get, named, post } from './endpoint.ts';

const ALL_WORLDS = 'Covers all worlds, unless `?world=` names one.';

const cleared = resource(
  'CoverageCleared',
  'The number of deleted observations.',
  ({ count }: Fields<{ cleared: number }>) => ({ cleared: count() }),
);

const recorded = resource('GauntletRecorded', 'The result is stored.', ({ constant }) => ({
  recorded: constant(true),
}));

const checks = () => z.array(requiredText(100)).max(100).default([]);

export const coverageEndpoints = named({
  getCoverage: get('/coverage', {
    summary: 'List what the integration was seen to handle.',
    description: `The go-live report without a gate. \`group\` and \`status\` select \`items\`; all else is of the whole report. ${ALL_WORLDS}`,
    query: () =>
      z.object({
        group: requiredText(100).optional().describe('Only items of this group.'),
        status: oneOf(STATUSES).optional().describe('Only items in this state.'),
      }),
    response: goliveReport,
    async handle({ namedWorld, context: { coverage }, query: { group, status } }) {
      if (group !== undefined) assertKnown('group', [group], groupsOf(await coverage.items()));
      const report = await coverage.report({ world: namedWorld });
      const items = report.items.filter(
        (item) =>
          (group === undefined || item.group === group) &&
          (status === undefined || item.status === status),
      );
      return { ...report, items };
    },
  }),

  deleteCoverage: del('/coverage', {
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
    async handle({ namedWorld, context: { coverage }, query: { id } }) {
      const ids = id?.split(',') ?? [];
      assertKnown(
        'id',
        ids,
        (await coverage.items()).map((item) => item.id),
      );
      return { cleared: await coverage.clear(namedWorld, ids) };
    },
  }),

  getCoverageExport: get('/coverage/export', {
    summary: 'Export all observations.',
    description: `For \`golive --from\` and \`coverage merge\`. ${ALL_WORLDS}`,
    query: () =>
      z.object({
        label: requiredText(100).optional().describe('Label of the export.'),
      }),
    response: coverageExport,
    handle: ({ namedWorld: world, context, query: { label } }) =>
      context.coverage.export({ world, label }),
  }),

  postGauntletResult: post('/coverage/gauntlet', {
    summary: 'Store the result of a gauntlet run as evidence.',
    description: '`failed` and `unseen` are ids of its required checks.',
    body: () => z.strictObject({ url: requiredText(), failed: checks(), unseen: checks() }),
    entersWorld: false,
    response: recorded,
    handle({ world, context: { coverage }, body }) {
      const url = parseHttpUrl(body.url);
      if (!url) throw validationError('url: must be an http or https URL');
      coverage.observeGauntlet(world, { ...body, url: url.origin + url.pathname });
      return {};
    },
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
    async handle({ namedWorld: world, context: { coverage }, body: { gate } }): Promise<Report> {
      if (!gate) return coverage.report({ world });
      const known = (await coverage.items()).map(({ id }) => id);
      const content = parseInput(gateSchema(known), gate.content);
      return coverage.report({ world, gate: { file: gate.file, content } });
    },
  }),
});

function groupsOf(items: readonly Item[]): string[] {
  return [...new Set(items.map(({ id }) => groupOf(id)))];
}

/** @throws validation_error */
function assertKnown(field: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const fix = didYouMean(unknown, known) || ' GET /_sandbox/coverage lists them.';
  throw validationError(`${field}: unknown ${field} "${unknown}".${fix}`);
}
