import { type InferSelectModel, inArray } from 'drizzle-orm';
import { filteredList, ownList } from '../../store/paging.ts';
import { brokerageCases, caseTimeline } from '../../store/schema/brokerage.ts';
import type { Environment } from '../../store/schema/enums.ts';
import {
  finder,
  inserter,
  lister,
  matching,
  required,
  requiredOwn,
  select,
} from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { findForSale } from '../inventory/listings.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { signUrlToken, verifyUrlToken } from '../row-token.ts';

export type BrokerageCase = InferSelectModel<typeof brokerageCases>;
export type CaseTimelineEntry = InferSelectModel<typeof caseTimeline>;

export const insertCase = inserter(brokerageCases);
export const insertCaseEntry = inserter(caseTimeline);

const PURPOSE = 'progress';

const findCase = finder(brokerageCases, 'id');
/** Oldest first. */
export const caseTimelineOf = lister(caseTimeline, 'caseId');
const findOpen = select(brokerageCases, {
  columns: { id: brokerageCases.id },
  where: [
    matching(brokerageCases, 'environment', 'domain'),
    inArray(brokerageCases.status, ['OPEN', 'NEGOTIATING']),
  ],
  limit: 1,
});

const message = (id: string) => `case_id: case ${id} not found`;
export const requireCase = required(findCase, message);

export const requireOwnCase = requiredOwn(findCase, message);

export const listCases = ownList('brokerage', brokerageCases);
export const listAllCases = filteredList('cases', brokerageCases);

/** Returns the case of a valid progress token of this world, else undefined. */
export function caseOfToken(tx: Tx, token: string): BrokerageCase | undefined {
  return verifyUrlToken(tx, PURPOSE, token, findCase);
}

/** Adds the URL of the progress page. @param baseUrl without a trailing slash */
export function withProgressUrl(tx: Tx, row: BrokerageCase, baseUrl: string) {
  return { ...row, progressUrl: `${baseUrl}/brokerage/${signUrlToken(tx, PURPOSE, row)}` };
}

/** Adds also the timeline. */
export function withCaseDetails(tx: Tx, row: BrokerageCase, baseUrl: string) {
  return { ...withProgressUrl(tx, row, baseUrl), timeline: caseTimelineOf(tx, row.id) };
}

export const INELIGIBILITIES = ['listed', 'active_site', 'open_case'] as const;
export type Ineligibility = (typeof INELIGIBILITIES)[number];

/**
 * Returns why a domain cannot be acquired through brokerage; empty if it can (specification, GET
 * /brokerage/eligibility). Only a magic domain has an active site.
 */
export function ineligibilityOf(tx: Tx, environment: Environment, domain: string): Ineligibility[] {
  const reasons: Ineligibility[] = [];
  if (findForSale(tx, environment, domain)) reasons.push('listed');
  if (hasBehavior(environment, domain, 'active_site')) reasons.push('active_site');
  const openCase = findOpen(tx).get({ environment, domain });
  if (hasBehavior(environment, domain, 'open_case') || openCase) reasons.push('open_case');
  return reasons;
}
