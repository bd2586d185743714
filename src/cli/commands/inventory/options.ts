import { INVENTORY_FORMATS } from '../../../market/inventory/import/rows.ts';
import { ENVIRONMENTS } from '../../../store/schema/enums.ts';
import { option } from '../../declare.ts';
import { oneOf } from '../../values.ts';

/** SANDBOX and LIVE share nothing, so every command means one of them. */
export const ENVIRONMENT_OPTION = {
  environment: option(
    '--env <environment>',
    'SANDBOX or LIVE (default: SANDBOX)',
    oneOf(ENVIRONMENTS),
  ),
};

export const FORMAT_OPTION = {
  format: option(
    '--format <format>',
    `${INVENTORY_FORMATS.join(' or ')} (default: by the name of the file)`,
    oneOf(INVENTORY_FORMATS),
  ),
};

export function listingPath(domain: string): string {
  return `/inventory/${encodeURIComponent(domain)}`;
}
