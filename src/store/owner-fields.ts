import type { Fields } from '../kernel/resource.ts';
import { ENVIRONMENTS } from './schema/enums.ts';
import type { Owner } from './schema/partners.ts';

/** An owner with the name of the partner. */
export type NamedOwner = Owner & { partner: string };

/** The owner of a row, which the control API adds to what a partner sees. */
export const ownerFields = <Row extends NamedOwner>({ id, oneOf, text }: Fields<Row>) => ({
  partner_id: id('ptr'),
  partner: text(),
  environment: oneOf(ENVIRONMENTS),
});

export const OWNER_HEADINGS = {
  partner: 'Partner',
  partner_id: 'Partner ID',
  environment: 'Environment',
} as const;
