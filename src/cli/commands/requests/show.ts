import type { RequestDetail } from '../../../requests/logged-request.ts';
import { defineCommand } from '../../command.ts';
import { argument, flag } from '../../declare.ts';
import { SECOND_REQUEST } from '../../example-ids.ts';
import { UsageError } from '../../failures.ts';

export const showRequest = defineCommand({
  path: 'requests show',
  summary: 'One request: what came, how it was decided, what was answered.',
  details:
    'Shows every check in order with its verdict, and the canonical string that the signature was held against. --md writes it as Markdown for a ticket; --curl writes the same call as a curl command line, signed anew by the same key. Signatures and secrets are left out of all of them, but for the new signature of --curl.',
  args: { id: argument('request id') },
  options: {
    md: flag('--md', 'as Markdown, to paste into a ticket'),
    curl: flag('--curl', 'the call again, as a curl command line'),
  },
  examples: [
    `sandlot requests show ${SECOND_REQUEST}`,
    `sandlot requests show ${SECOND_REQUEST} --md`,
    `sandlot requests show ${SECOND_REQUEST} --curl`,
  ],
  async run(call) {
    const { control, args, options, out } = call;
    if (options.md && options.curl) throw new UsageError('--md and --curl: expected one of them');
    const path = `/requests/${encodeURIComponent(args.id)}`;
    if (options.md) {
      const document = await control().get<{ markdown: string }>(`${path}/markdown`);
      return out.result(document, ({ markdown }) => markdown);
    }
    const request = await control().get<RequestDetail>(path);
    if (options.curl) {
      const { printAgain } = await import('./call-again.ts');
      return printAgain(call, request);
    }
    const { showRequestDetail } = await import('./show-request.ts');
    out.result(request, showRequestDetail);
  },
});
