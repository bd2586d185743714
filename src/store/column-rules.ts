import { type Column, getTableColumns, getTableName, type Table } from 'drizzle-orm';
import { CASE_STATUSES, ORDER_STATUSES, SCOPES } from './schema/enums.ts';
import { ORDER_STATES } from './schema/order-states.ts';

/** Returns an SQL condition that holds for values which sandlot never writes. NULL is no such value. */
type Rule = (column: string) => string;

/** Midnight of January 1 in the years 1 and 2300, Unix ms: further times have another form, or more months than rows. */
const EARLIEST = -62_135_596_800_000;
const LATEST = 10_413_792_000_000;
const DAY_MS = 86_400_000;
const MAX_CENTS = 10 ** 15;
/** Ids have seven digits in base 32. */
const MAX_COUNT = 32 ** 7 - 1;
const MAX_SERIES = 1_000_000_000;
const MAX_INVENTORY = 1_000_000;
const NOW = "(unixepoch('subsec') * 1000)";

const between =
  (min: number, max: number): Rule =>
  (column) =>
    `${column} NOT BETWEEN ${min} AND ${max}`;

const oneOf =
  (values: readonly string[]): Rule =>
  (column) =>
    `${column} NOT IN ('${values.join("', '")}')`;

const time = between(EARLIEST, LATEST);

/** Visible ASCII without spaces. */
const visible =
  (max: number): Rule =>
  (column) =>
    `${column} GLOB '*[^!-~]*' OR length(${column}) NOT BETWEEN 1 AND ${max}`;

/** JSON whose value at a path has a type, and satisfies a rule. */
const json =
  (type: string, rule?: Rule, path = '$'): Rule =>
  (column) => {
    const parts = [`json_type(${column}, '${path}') IS NOT '${type}'`];
    if (rule) parts.push(rule(`json_extract(${column}, '${path}')`));
    return `iif(json_valid(${column}), ${parts.join(' OR ')}, ${column} IS NOT NULL)`;
  };

/** A JSON array whose items have a type, and satisfy a rule. */
const listOf =
  (type: string, rule?: Rule): Rule =>
  (column) => {
    const odd = [`type <> '${type}'`, ...(rule ? [rule('value')] : [])].join(' OR ');
    return either(
      json('array'),
      (each) =>
        `EXISTS (SELECT 1 FROM json_each(iif(json_valid(${each}), ${each}, '[]')) WHERE ${odd})`,
    )(column);
  };

const either =
  (...rules: Rule[]): Rule =>
  (column) =>
    rules.map((rule) => `(${rule(column)})`).join(' OR ');

const both =
  (...rules: Rule[]): Rule =>
  (column) =>
    rules.map((rule) => `(${rule(column)})`).join(' AND ');

/** Data of an event about a subject. */
const eventAbout = (subject: string, id: string, statuses: readonly string[]): Rule =>
  either(
    json('object', undefined, `$.${subject}`),
    json('text', undefined, `$.${subject}.${id}`),
    json('text', undefined, `$.${subject}.domain`),
    json('text', oneOf(statuses), `$.${subject}.status`),
  );

const actions = Object.values(ORDER_STATES).flatMap(({ moves }) => Object.keys(moves));

/** Columns whose rule does not follow from their type and name. */
const RULES: Readonly<Record<string, Rule>> = {
  'world.name': (name) =>
    `${name} NOT GLOB '[a-z0-9]*' OR ${name} GLOB '*[^a-z0-9_-]*' OR length(${name}) > 63`,
  'world.seed': (seed) => `length(${seed}) NOT BETWEEN 1 AND 100`,
  'world.token_key': (key) => `length(${key}) < 16`,
  'world.inventory': between(0, MAX_INVENTORY),
  'world.id_series': between(0, MAX_SERIES),
  'world.clock_offset_ms': (offset) => time(`${NOW} + ${offset}`),
  'credentials.key_id': (id) =>
    `${id} GLOB '*[^A-Za-z0-9_-]*' OR length(${id}) NOT BETWEEN 1 AND 100`,
  'credentials.secret': visible(255),
  'credentials.scopes': listOf('text', oneOf(SCOPES)),
  'webhooks.secret': visible(255),
  'rate_windows.hits': listOf('integer', time),
  'idempotency_keys.status': between(200, 599),
  'idempotency_keys.body': json('object'),
  'listings.keywords': listOf('text'),
  'scheduled_moves.action': oneOf(actions),
  'events.data': both(
    eventAbout('order', 'public_id', ORDER_STATUSES),
    eventAbout('case', 'case_id', CASE_STATUSES),
  ),
  'deliveries.fault': either(
    json('text', undefined, '$.fault_id'),
    json('object', undefined, '$.webhook'),
  ),
  'delivery_attempts.http_status': between(100, 999),
  'daily_totals.day': between(EARLIEST / DAY_MS, LATEST / DAY_MS),
  'settlement_periods.period_end': (end) => `${time(end)} OR ${end} < period_start`,
  'observations.evidence': listOf('array'),
  'observed_run.worlds': listOf('text'),
};

/** Rules by the name of a column. */
const NAMED: readonly (readonly [name: RegExp, rule: Rule])[] = [
  [/^at$|_(?:at|start|end|until)$/, time],
  [/^(?:balance|delta)_cents$/, between(-MAX_CENTS, MAX_CENTS)],
  [/_cents$/, between(0, MAX_CENTS)],
  [/^(?:id|seq|day)$/, between(0, Number.MAX_SAFE_INTEGER)],
  [/^currency$/, (column) => `${column} NOT GLOB '[A-Z][A-Z][A-Z]'`],
  [
    /^domain$/,
    (column) => `${column} GLOB '*[^a-z0-9.-]*' OR length(${column}) NOT BETWEEN 1 AND 253`,
  ],
  [/^url$|_url$/, (column) => `NOT is_web_url(${column})`],
];

/** The URLs that `is_web_url` of `RULES` accepts. */
export function isWebUrl(text: unknown): number {
  if (text === null) return 1;
  if (typeof text !== 'string' || !URL.canParse(text)) return 0;
  return /^https?:$/.test(new URL(text).protocol) ? 1 : 0;
}

/** Conditions for invalid values, by column. */
export function rulesOf(table: Table): { column: string; isInvalid: string }[] {
  const name = getTableName(table);
  return Object.values(getTableColumns(table)).flatMap((column) => {
    const rule = RULES[`${name}.${column.name}`] ?? ruleOf(column);
    return rule ? [{ column: column.name, isInvalid: rule(`"${column.name}"`) }] : [];
  });
}

function ruleOf({ name, dataType, enumValues }: Column): Rule | undefined {
  if (enumValues) return oneOf(enumValues);
  if (dataType === 'boolean') return between(0, 1);
  if (dataType === 'json') return json('object');
  const isNumber = dataType === 'number';
  const named = NAMED.find(([pattern]) => pattern.test(name))?.[1];
  if (isNumber) return named ?? between(0, MAX_COUNT);
  return /^(?:id|seq|day)$/.test(name) ? undefined : named;
}

/** Columns of amounts that reports add up: their sums must be exact. */
export function summedColumns(table: Table): string[] {
  if (getTableName(table) === 'listings') return [];
  return Object.values(getTableColumns(table))
    .map(({ name }) => name)
    .filter((name) => name.endsWith('_cents') && name !== 'balance_cents');
}
