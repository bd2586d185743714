import { ENVIRONMENTS } from '../../../store/schema/enums.ts';
import type { ControlRegistration } from '../../../webhooks/registration.ts';
import { defineCommand } from '../../command.ts';
import { option, requiredOption } from '../../declare.ts';
import { oneOf, webAddress } from '../../values.ts';

export const registerWebhook = defineCommand({
  path: 'webhooks register',
  summary: 'Register or replace the webhook url of a partner, without signing.',
  details:
    'A partner has one url in each environment. Does what PUT /api/partner/webhooks does, for set-up scripts that hold no key.',
  options: {
    url: requiredOption('--url <url>', 'where webhooks are delivered', webAddress),
    secret: requiredOption('--secret <secret>', 'what webhooks are signed with'),
    partner: option('--partner <name>', 'name of the partner (default: local)'),
    environment: option(
      '--env <environment>',
      'SANDBOX or LIVE (default: SANDBOX)',
      oneOf(ENVIRONMENTS),
    ),
  },
  examples: [
    'sandlot webhooks register --url http://127.0.0.1:4020/ --secret whsec_local',
    'sandlot webhooks register --url http://127.0.0.1:4020/ --secret whsec_local --partner acme --env LIVE',
  ],
  async run({ control, options, out }) {
    out.result(
      await control().put<ControlRegistration>('/webhooks', options),
      ({ url, partner, environment }) => `registered ${url} for ${partner} in ${environment}`,
    );
  },
});
