import { ENVIRONMENTS } from '../../../store/schema/enums.ts';
import type { ControlRegistration } from '../../../webhooks/registration.ts';
import { defineCommand } from '../../command.ts';
import { option, optionalArgument } from '../../declare.ts';
import { UsageError } from '../../failures.ts';
import { oneOf } from '../../values.ts';

export const unregisterWebhooks = defineCommand({
  path: 'webhooks unregister',
  summary: 'Take a webhook url away; what it was still owed fails.',
  args: { webhook_url: optionalArgument('the registered url') },
  options: {
    partner: option('--partner <name>', 'the urls of the partner of this name'),
    partnerId: option('--partner-id <id>', 'the urls of the partner with this id'),
    environment: option('--env <environment>', 'SANDBOX or LIVE', oneOf(ENVIRONMENTS)),
  },
  examples: [
    'sandlot webhooks unregister http://127.0.0.1:4020/',
    'sandlot webhooks unregister --env SANDBOX',
  ],
  async run({ control, args, options, out }) {
    const which = {
      url: args.webhook_url,
      partner: options.partner,
      partner_id: options.partnerId,
      environment: options.environment,
    };
    if (Object.values(which).every((value) => value === undefined)) {
      throw new UsageError(
        'expected a url, --partner, --partner-id or --env; see: sandlot webhooks registrations',
      );
    }
    out.result(
      await control().delete<{ webhooks: ControlRegistration[] }>('/webhooks', which),
      ({ webhooks }) =>
        webhooks.map(
          ({ url, partner, environment, pending_deliveries: owed }) =>
            `${url} is unregistered for ${partner} in ${environment}${owed > 0 ? `; ${owed} pending deliveries failed` : ''}`,
        ),
    );
  },
});
