import type { Fields } from '../kernel/resource.ts';
import { ENVIRONMENTS } from './schema/enums.ts';
import type { Owner } from './schema/partners.ts';

/** The owner of a row, which the control API adds to what a partner sees. */
export const ownerFields = <Row extends Owner>({ id, oneOf }: Fields<Row>) => ({
  partner_id: id('ptr'),
  environment: oneOf(ENVIRONMENTS),
});

export const OWNER_HEADINGS = { partner_id: 'Partner', environment: 'Environment' } as const;
