import { z } from 'zod';
import { fileResponse, named, post } from '../../control/endpoint.ts';
import { domainName, requiredText, wholeNumber } from '../../http/fields.ts';
import { escapeCharacter } from '../../kernel/printable.ts';

const REPRO_MEDIA_TYPE = 'application/gzip';

const body = z.strictObject({
  request: requiredText(100).optional().describe('This request is the target.'),
  order: requiredText(100)
    .optional()
    .describe('The last request that names this order is the target.'),
  domain: domainName()
    .optional()
    .describe('The last request that names this domain is the target.'),
  last: wholeNumber(1, 10_000)
    .optional()
    .describe('The newest rejected of this many requests is the target, else the newest.'),
  since: requiredText(100)
    .optional()
    .describe(
      'The newest rejected request since then is the target, else the newest: a sandbox time, or a duration such as 2h.',
    ),
  keep_personal_data: z.boolean().default(false).describe('Replace secrets only.'),
});

export const reproEndpoints = named({
  exportRepro: post('/repro/export', {
    summary: 'Export what happened as a repro file, which replays anywhere.',
    description:
      'The file contains the requests of the world since its beginning up to the target, and its state. The target is `request`, the last one that names the order or the domain, or else the newest rejected one, or the newest. Secrets are never in it, and personal data is replaced. A summary as JSON is in the header `X-Sandlot-Repro-Summary`; if `verified` is false, the file opens but does not replay, and `problem` says why. 409 `conflict` if no request matches.',
    body: () => body,
    streamTypes: [REPRO_MEDIA_TYPE],
    logged: false,
    async handle({ world, context, body: { keep_personal_data, ...selection } }) {
      const { exportRepro } = await import('./export.ts');
      const options = { ...selection, keepPersonalData: keep_personal_data };
      const { bytes, summary } = await exportRepro(context, world, options);
      return fileResponse(bytes, REPRO_MEDIA_TYPE, String(summary.file), {
        // Its readers repeat the name. A header takes only ASCII.
        'X-Sandlot-Repro-Summary': JSON.stringify(summary).replace(/[^ -~]/g, escapeCharacter),
      });
    },
  }),
});
