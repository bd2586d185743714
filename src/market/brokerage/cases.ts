import { and, eq, type InferSelectModel, inArray } from 'drizzle-orm';
import { notFound } from '../../kernel/errors.ts';
import { listByOwner } from '../../store/list-by-owner.ts';
import type { Page, PageRequest } from '../../store/paging.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { brokerageCases, caseTimeline } from '../../store/schema/brokerage.ts';
import type { Environment } from '../../store/schema/enums.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { signAddress, verifyAddress } from '../row-token.ts';

export type BrokerageCase = InferSelectModel<typeof brokerageCases>;
export type CaseTimelineEntry = InferSelectModel<typeof caseTimeline>;

export const insertCase = inserter(brokerageCases);
export const insertCaseEntry = inserter(caseTimeline);

const USE = 'progress';

const byId = prepared((db) =>
  db
    .select()
    .from(brokerageCases)
    .where(eq(brokerageCases.id, param('id')))
    .prepare(),
);
const timeline = prepared((db) =>
  db
    .select()
    .from(caseTimeline)
    .where(eq(caseTimeline.caseId, param('caseId')))
    .orderBy(caseTimeline.id)
    .prepare(),
);
const openOn = prepared((db) =>
  db
    .select({ id: brokerageCases.id })
    .from(brokerageCases)
    .where(
      and(
        eq(brokerageCases.environment, param('environment')),
        eq(brokerageCases.domain, param('domain')),
        inArray(brokerageCases.status, ['OPEN', 'NEGOTIATING']),
      ),
    )
    .limit(1)
    .prepare(),
);

export function findCase(tx: Tx, id: string): BrokerageCase | undefined {
  return byId(tx).get({ id });
}

/** @throws not_found */
export function requireCase(tx: Tx, id: string): BrokerageCase {
  const found = findCase(tx, id);
  if (found) return found;
  throw notFound(`case_id: there is no case ${id}`);
}

/** @throws not_found, also for another partner's case */
export function requireOwnCase(tx: Tx, owner: Owner, id: string): BrokerageCase {
  const found = findCase(tx, id);
  if (found?.partnerId === owner.partnerId && found.environment === owner.environment) return found;
  throw notFound(`case_id: there is no case ${id}`);
}

/** Whether anybody is already after the domain. */
export function hasOpenCase(tx: Tx, environment: Environment, domain: string): boolean {
  return openOn(tx).get({ environment, domain }) !== undefined;
}

/** Newest first (specification, GET /brokerage). @throws validation_error for a foreign cursor */
export function listCases(tx: Tx, owner: Owner, page: PageRequest): Page<BrokerageCase> {
  return listByOwner(tx, 'brokerage', brokerageCases, owner, page);
}

/** Oldest first. */
export function caseTimelineOf(tx: Tx, caseId: string) {
  return timeline(tx).all({ caseId });
}

/** The last part of a progress url: names world and case, and nobody else can make one. */
export function progressToken(tx: Tx, found: BrokerageCase): string {
  return signAddress(tx, USE, found);
}

/** The case of a genuine progress token of this world, else undefined. */
export function caseOfToken(tx: Tx, token: string): BrokerageCase | undefined {
  return verifyAddress(tx, USE, token, findCase);
}

/** Adds the address of the progress page. @param baseUrl without a trailing slash */
export function withProgressUrl(tx: Tx, found: BrokerageCase, baseUrl: string) {
  return { ...found, progressUrl: `${baseUrl}/brokerage/${progressToken(tx, found)}` };
}
