/** What a fresh world lists unless it is told otherwise. */
export const DEFAULT_SEED = 'sandlot';
export const DEFAULT_INVENTORY = 5_000;
