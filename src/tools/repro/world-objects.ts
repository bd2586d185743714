import { eq } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { requireEvent } from '../../events/events.ts';
import { fault } from '../../faults/fault.ts';
import { isoTime } from '../../kernel/time.ts';
import { controlCaseDetail } from '../../market/brokerage/case.ts';
import { caseTimelineOf, withProgressUrl } from '../../market/brokerage/cases.ts';
import { controlSession } from '../../market/checkout/session.ts';
import { withSale } from '../../market/checkout/sessions.ts';
import { listing } from '../../market/inventory/listing.ts';
import { balanceOf } from '../../market/ledger.ts';
import { controlOrderDetail } from '../../market/orders/order.ts';
import { withTimeline } from '../../market/orders/orders.ts';
import { credential } from '../../market/partners/credential.ts';
import { withNames, withPartner } from '../../market/partners/credentials.ts';
import { controlQuote, withToken } from '../../market/quotes.ts';
import { withSums } from '../../market/settlements/periods.ts';
import { statement } from '../../market/settlements/statement.ts';
import { param } from '../../store/prepared.ts';
import { brokerageCases } from '../../store/schema/brokerage.ts';
import { checkoutSessions } from '../../store/schema/checkout.ts';
import { ENVIRONMENTS } from '../../store/schema/enums.ts';
import { deliveries, webhooks } from '../../store/schema/events.ts';
import { faults } from '../../store/schema/faults.ts';
import { listings } from '../../store/schema/inventory.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import { orders, quotes } from '../../store/schema/orders.ts';
import { credentials, type Owner, partners } from '../../store/schema/partners.ts';
import { ownedBy, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { countPending, withAttempts } from '../../webhooks/deliveries.ts';
import { delivery } from '../../webhooks/delivery.ts';
import { controlRegistration } from '../../webhooks/registration.ts';
import { valueText } from './describe.ts';
import type { ActRecord, InputRecord, Repro } from './format.ts';
import { actNumbersOf } from './places.ts';
import type { Replay } from './replay.ts';
import { inReplay } from './replay-file.ts';

/** An object in the control API, with derived fields. */
export type View = Readonly<Record<string, unknown>>;

export interface WorldObject {
  id: string;
  /** Texts by which a request can name the object: IDs and tokens first, then weaker ones such as its domain. */
  names: readonly (readonly string[])[];
  view: View;
}

export type ObjectTypeName =
  | 'order'
  | 'quote'
  | 'delivery'
  | 'listing'
  | 'webhook'
  | 'credential'
  | 'session'
  | 'case'
  | 'balance'
  | 'fault';

/** How an act changed an object. */
export interface ObjectChange {
  type: ObjectTypeName | 'clock';
  id: string;
  change: 'added' | 'changed' | 'removed';
  /** Old and new value of each field that differs; null where there is none. */
  fields: Record<string, [old: unknown, now: unknown]>;
}

interface ObjectType {
  /** The fields of an added or removed object that a line shows. */
  summaryFields: readonly string[];
  /** Reads all objects, or the one with an ID. */
  read(tx: Tx, baseUrl: string, id?: string): WorldObject[];
}

/** Returns `ptr_1`, or `LIVE/ptr_1`, for objects whose id is unique only within an environment. */
const idIn = (environment: string, id: string) =>
  environment === 'SANDBOX' ? id : `${environment}/${id}`;

/** Declares a type of objects that are rows of a table. */
function fromTable<Table extends SQLiteTable>(
  table: Table,
  column: SQLiteColumn,
  summaryFields: readonly string[],
  objectOf: (tx: Tx, row: Table['$inferSelect'], baseUrl: string) => WorldObject,
): ObjectType {
  const selectAll = select(table);
  const selectByKey = select(table, { where: [eq(column, param('key'))] });
  return {
    summaryFields,
    read: (tx, baseUrl, id) => {
      const rows =
        id === undefined
          ? selectAll(tx).all()
          : selectByKey(tx).all({ key: id.replace(/^LIVE\//, '') });
      const objects = rows.map((row) => objectOf(tx, row, baseUrl));
      return id === undefined ? objects : objects.filter((object) => object.id === id);
    },
  };
}

const allPartners = select(partners, { orderBy: [partners.partnerId] });
const ownStatements = select(settlementPeriods, { where: [ownedBy(settlementPeriods)] });
const ownCredentials = select(credentials, {
  columns: { keyId: credentials.keyId },
  where: [ownedBy(credentials)],
});

const keyIdsOf = (tx: Tx, owner: Owner) =>
  ownCredentials(tx)
    .all({ ...owner })
    .map(({ keyId }) => keyId);

/** Object types, by the name in paths. */
export const OBJECT_TYPES: Readonly<Record<ObjectTypeName, ObjectType>> = {
  order: fromTable(orders, orders.id, ['status', 'domain', 'sale_price_cents'], (tx, row) => ({
    id: row.id,
    names: [[row.id], [row.domain]],
    view: controlOrderDetail.view(withPartner(tx, withTimeline(tx, row))),
  })),
  quote: fromTable(quotes, quotes.id, ['status', 'domain', 'price_cents'], (tx, row) => {
    const view = controlQuote.view(withPartner(tx, withToken(tx, row)));
    const state = view.status === 'live' ? 'open' : view.status;
    return { id: row.id, names: [[row.id, view.quote_id], [row.domain]], view: { ...view, state } };
  }),
  delivery: fromTable(deliveries, deliveries.id, ['status', 'event'], (tx, row) => ({
    id: row.id,
    names: [[row.id], [row.eventId]],
    view: {
      ...delivery.view(withAttempts(tx, row)),
      event: requireEvent(tx, row.eventId).type,
    },
  })),
  listing: fromTable(listings, listings.domain, ['status', 'price_cents'], (_tx, row) => ({
    id: idIn(row.environment, row.domain),
    names: [[row.domain]],
    view: listing.view(row),
  })),
  webhook: fromTable(webhooks, webhooks.partnerId, ['url', 'active'], (tx, row) => ({
    id: idIn(row.environment, row.partnerId),
    names: [[row.url], [row.partnerId, ...keyIdsOf(tx, row)]],
    view: controlRegistration.view({
      ...withPartner(tx, row),
      pendingDeliveries: countPending(tx, row),
    }),
  })),
  credential: fromTable(credentials, credentials.keyId, ['partner', 'environment'], (tx, row) => ({
    id: row.keyId,
    names: [[row.keyId]],
    view: credential.view(withNames(tx, row)),
  })),
  session: fromTable(
    checkoutSessions,
    checkoutSessions.id,
    ['status', 'domain', 'price_cents'],
    (tx, row, baseUrl) => {
      const view = controlSession.view(withPartner(tx, withSale(tx, row, baseUrl)));
      const token = new URL(view.checkout_url).searchParams.get('pt') ?? row.id;
      return { id: row.id, names: [[row.id, token], [row.domain]], view };
    },
  ),
  case: fromTable(
    brokerageCases,
    brokerageCases.id,
    ['status', 'domain', 'budget_cents'],
    (tx, row, baseUrl) => {
      const timeline = caseTimelineOf(tx, row.id);
      const detail = { ...withProgressUrl(tx, row, baseUrl), timeline };
      const view = controlCaseDetail.view(withPartner(tx, detail));
      const token = view.progress_url.split('/').at(-1) ?? row.id;
      return { id: row.id, names: [[row.id, token], [row.domain]], view };
    },
  ),
  balance: {
    summaryFields: ['commission_cents', 'owed_cents'],
    read: (tx, _baseUrl, id) =>
      allPartners(tx)
        .all()
        .flatMap(({ partnerId }) => ENVIRONMENTS.map((environment) => ({ partnerId, environment })))
        .filter(
          ({ environment, partnerId }) => id === undefined || id === idIn(environment, partnerId),
        )
        .map((owner) => ({
          id: idIn(owner.environment, owner.partnerId),
          names: [[owner.partnerId, ...keyIdsOf(tx, owner)]],
          view: {
            partner_id: owner.partnerId,
            partner: withPartner(tx, owner).partner,
            environment: owner.environment,
            commission_cents: balanceOf(tx, owner),
            owed_cents: owedTo(tx, owner),
          },
        })),
  },
  fault: fromTable(faults, faults.id, ['effect', 'webhook', 'match', 'hits'], (_tx, row) => ({
    id: row.id,
    names: [[row.id]],
    view: fault.view(row),
  })),
};

/** Sums the statements of an owner. */
function owedTo(tx: Tx, owner: Owner): number {
  return ownStatements(tx)
    .all({ ...owner })
    .reduce((sum, row) => sum + statement.view(withSums(tx, row)).amount_owed_cents, 0);
}

/** Returns `status live → used, order_public_id null → ord_1`. */
export function describeFields({ type, change, fields }: ObjectChange): string {
  if (change === 'changed') {
    const entries = Object.entries(fields);
    const single = entries.filter(([, values]) => values.every((value) => !Array.isArray(value)));
    const texts = (single.length > 0 ? single : entries).map(
      ([name, [old, now]]) => `${name} ${valueText(old)} → ${valueText(now)}`,
    );
    return texts.join(', ');
  }
  const names = type === 'clock' ? Object.keys(fields) : OBJECT_TYPES[type].summaryFields;
  const side = change === 'added' ? 1 : 0;
  return names
    .filter((name) => (fields[name]?.[side] ?? null) !== null)
    .map((name) => `${name} ${valueText(fields[name]?.[side])}`)
    .join(', ');
}

interface ObjectView {
  type: ObjectChange['type'];
  id: string;
  view: View;
}

interface ViewChange {
  old: ObjectView | undefined;
  now: ObjectView | undefined;
}

/** All objects of a world, by type and id. */
type WorldView = ReadonlyMap<string, ObjectView>;

/** Times and durations, which change with every act. */
const IGNORED_FIELDS = new Set(['created_at', 'updated_at', 'at', 'duration_ms']);

const ALL_TYPES = Object.keys(OBJECT_TYPES) as ObjectTypeName[];
/** Types that expire. A stop of a clock advance changes nothing else, and an advance can have thousands of stops. */
const EXPIRING_TYPES: readonly ObjectTypeName[] = ['quote', 'session'];

/** Reads all objects that an act can change, at the time of the act. */
function viewOf(replay: Replay, { at, cause }: ActRecord): WorldView {
  const { world, repro } = replay;
  const types = cause.type === 'clock.to' ? EXPIRING_TYPES : ALL_TYPES;
  return replay.readAt(at, (tx) => {
    const objects = types.flatMap((type) =>
      OBJECT_TYPES[type]
        .read(tx, repro.head.base_url)
        .map(({ id, view }): ObjectView => ({ type, id, view })),
    );
    const clock = { now: isoTime(tx.now), frozen: world.clock.reading().frozen };
    objects.push({ type: 'clock', id: world.name, view: clock });
    return new Map(objects.map((object) => [`${object.type} ${object.id}`, object]));
  });
}

/**
 * Replays a file and returns how an input changed the state.
 * @throws DivergedError, NotReplayableError, ReproFileError
 */
export async function differenceOf(repro: Repro, input: InputRecord): Promise<ObjectChange[]> {
  const acts = actNumbersOf(repro.inputs, input);
  if (acts.length === 0) return [];
  return inReplay(repro, async (replay) => {
    const changes = new StateChanges(replay, acts);
    for await (const step of replay.reproduce(acts.at(-1), changes.before)) {
      changes.after(step.input);
    }
    return changes.list();
  });
}

/** Collects the changes of the state by some acts of a replay. Other acts may happen between them. */
export class StateChanges {
  readonly #replay: Replay;
  readonly #acts: ReadonlySet<number>;
  readonly #changes = new Map<string, ViewChange>();
  #old: WorldView = new Map();

  constructor(replay: Replay, acts: readonly number[]) {
    this.#replay = replay;
    this.#acts = new Set(acts);
  }

  readonly before = (input: InputRecord): void => {
    if (this.#isTracked(input)) this.#old = viewOf(this.#replay, input);
  };

  after(input: InputRecord): void {
    if (!this.#isTracked(input)) return;
    const view = viewOf(this.#replay, input);
    for (const key of new Set([...this.#old.keys(), ...view.keys()])) {
      const [old, now] = [this.#old.get(key), view.get(key)];
      if (JSON.stringify(old) === JSON.stringify(now)) continue;
      this.#changes.set(key, { old: (this.#changes.get(key) ?? { old }).old, now });
    }
  }

  list(): ObjectChange[] {
    return Array.from(this.#changes.values(), describeChange).filter(
      ({ fields, type }) =>
        Object.keys(fields).length > 0 && !(type === 'balance' && isZero(fields)),
    );
  }

  #isTracked(input: InputRecord): input is ActRecord {
    return input.kind === 'act' && this.#acts.has(input.n);
  }
}

function describeChange({ old, now }: ViewChange) {
  const { type, id } = (now ?? old) as ObjectView;
  const change: ObjectChange['change'] = !old ? 'added' : now ? 'changed' : 'removed';
  return { type, id, change, fields: fieldsOf(comparedFields(old), comparedFields(now)) };
}

/** Whether a balance is and was zero: every partner has a balance. */
function isZero({ commission_cents, owed_cents }: ObjectChange['fields']): boolean {
  return [commission_cents, owed_cents].every((values) => !values?.some(Boolean));
}

function comparedFields(object: ObjectView | undefined): View {
  if (!object) return {};
  return JSON.parse(
    JSON.stringify(object.view, (name, value) => (IGNORED_FIELDS.has(name) ? undefined : value)),
  );
}

function fieldsOf(old: View, now: View): ObjectChange['fields'] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const differing = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return Object.fromEntries(
    differing.map((name) => [name, [old[name] ?? null, now[name] ?? null]]),
  );
}
