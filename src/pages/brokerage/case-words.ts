import type { CaseStatus, Tier } from '../../store/schema/enums.ts';

/** The state of a case in a buyer's words. */
export const HEADLINES: Record<CaseStatus, { title: string; says: string }> = {
  OPEN: {
    title: 'Request received',
    says: 'The owner of the domain is being looked for and will be asked whether it is for sale.',
  },
  NEGOTIATING: {
    title: 'In negotiation',
    says: 'The owner has answered, and the price is being talked about.',
  },
  COMPLETED: {
    title: 'Deal closed',
    says: 'The owner has agreed, and the domain is on its way to you.',
  },
  CLOSED: {
    title: 'Closed without a deal',
    says: 'The owner is not selling, or not at this price.',
  },
};

/** What a line of the timeline says happened. */
export const STEPS: Record<CaseStatus, string> = {
  OPEN: 'Request received',
  NEGOTIATING: 'Negotiation with the owner began',
  COMPLETED: 'Deal closed',
  CLOSED: 'Closed without a deal',
};

/** What is still to come. */
export const AHEAD: Record<CaseStatus, readonly string[]> = {
  OPEN: ['Negotiation with the owner', 'Outcome'],
  NEGOTIATING: ['Outcome'],
  COMPLETED: [],
  CLOSED: [],
};

export const TIER_WORDS: Record<Tier, string> = {
  managed: 'Managed by a broker',
  self_serve: 'Self-serve',
};
