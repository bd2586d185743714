/** The whole inventory is priced in US dollars (decisions, "Conventions"), and so is all that follows from it. */
export const CURRENCY = 'USD';
