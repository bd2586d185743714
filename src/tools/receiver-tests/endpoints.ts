import { z } from 'zod';
import { named, post } from '../../control/endpoint.ts';
import { requiredText } from '../../http/fields.ts';
import { parseHttpUrl } from '../../kernel/addresses.ts';
import { validationError } from '../../kernel/errors.ts';
import { resource } from '../../kernel/resource.ts';

const recorded = resource('ReceiverTestRecorded', 'The result is stored.', ({ constant }) => ({
  recorded: constant(true),
}));

const checks = () => z.array(requiredText(100)).max(100).default([]);

export const receiverTestEndpoints = named({
  // The result is stored in the request log, as the body of this request. The go-live report finds it there, by this path.
  postReceiverTest: post('/golive/receiver-test', {
    summary: 'Store the result of a receiver test as evidence.',
    description: '`failed` and `unseen` are ids of its required checks.',
    body: () => z.strictObject({ url: requiredText(), failed: checks(), unseen: checks() }),
    recordsRuns: false,
    response: recorded,
    handle({ body: { url } }) {
      if (!parseHttpUrl(url)) throw validationError('url: must be an http or https URL');
      return {};
    },
  }),
});
