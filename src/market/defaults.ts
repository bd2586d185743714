export const DEFAULT_SEED = 'sandlot';
/** How many listings of a new world are generated, in addition to the magic domains. */
export const DEFAULT_INVENTORY = 5_000;

/** The credential of a fresh sandbox, so that examples and CI need not read it from the output. */
export const DEFAULT_CREDENTIAL = {
  keyId: 'dmk_sandbox_local',
  secret: 'dms_sandbox_local_not_a_secret',
  partnerId: 'ptr_local',
  partner: 'local',
} as const;

/** Commission in basis points of the sale price. */
export const COMMISSION_BASIS_POINTS = {
  partner_collected: 1_500,
  marketplace_collected: 1_000,
  brokerage: 500,
} as const;

export const CURRENCY = 'USD';
