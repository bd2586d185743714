import { z } from 'zod';
import { ENDPOINTS } from '../api/index.ts';
import { faultFields } from '../control/fault-input.ts';
import { newCredential, newRegistration } from '../control/partner-fields.ts';
import { validateFault } from '../faults/validate-fault.ts';
import { requiredText, wholeNumber } from '../http/fields.ts';
import { lazily } from '../kernel/lazily.ts';
import { parseIsoTime } from '../kernel/time.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import { formatOfName, INVENTORY_FORMATS } from '../market/inventory/inventory-file.ts';
import { ENVIRONMENTS, RATE_CLASSES } from '../store/schema/enums.ts';
import { LAST_MOMENT } from '../world/clock.ts';
import {
  CONFIG_FILE,
  type Setting,
  type SettingName,
  type SettingValue,
  SINGLE_SETTINGS,
} from './settings.ts';

/** Bounds memory: the time of each counted request of the last minute is kept. `false` is for no limit. */
const MAX_PER_MINUTE = 10_000;

/** A credential whose key ID and secret are given, not generated. */
const configuredCredential = () =>
  newCredential()
    .omit({ world: true })
    .extend({
      approved: z
        .boolean()
        .optional()
        .describe('Whether a LIVE credential has production access. Default: false.'),
    })
    .required({ key_id: true, secret: true })
    .refine(({ environment, approved }) => approved === undefined || environment === 'LIVE', {
      path: ['approved'],
      error: 'is for LIVE credentials; add "environment": "LIVE", or leave it out',
    });

const inventoryFile = () =>
  z
    .strictObject({
      file: requiredText().describe('CSV or JSON Lines file, relative to the configuration file.'),
      environment: z.enum(ENVIRONMENTS).default('SANDBOX'),
      format: z
        .enum(INVENTORY_FORMATS)
        .optional()
        .describe('By default, from the name of the file.'),
    })
    .refine(({ file, format }) => (format ?? formatOfName(file)) !== undefined, {
      path: ['file'],
      error: 'has no known extension; add "format": "csv" or "ndjson"',
    });

/** The ID of a fault that has none in the file. @param n its position, from 0 */
export const configuredFaultId = (n: number): string => `flt_config_${n + 1}`;

const fault = () =>
  z
    .strictObject({
      fault_id: requiredText(100)
        .optional()
        .describe('ID of the fault. By default, flt_config_1, … by position.'),
      ...faultFields(),
    })
    .superRefine((input, context) => {
      const issue = validateFault(input, ENDPOINTS);
      if (issue) context.addIssue({ code: 'custom', ...issue });
    });

type SingleSchemas = {
  [Name in SettingName]: () => z.ZodOptional<z.ZodType<SettingValue<Name>>>;
};

/** Further checks, of values that the kind and the maximum of their setting allow: what is wrong, if anything. */
const PROBLEMS: { [Name in SettingName]?: (value: SettingValue<Name>) => string | undefined } = {
  public_url: (text) => {
    const url = URL.parse(text);
    if (url?.href === `${url?.origin}/` && /^https?:$/.test(url.protocol)) return undefined;
    return 'must be an http or https address without a path, such as https://sandbox.example';
  },
  // Reports and repro files have no times before 1970.
  frozen_at: (text) => {
    const at = parseIsoTime(text) ?? -1;
    if (at >= 0 && at <= LAST_MOMENT) return undefined;
    return 'must be an ISO 8601 date or time from 1970 to 2199';
  },
  control_token: (text) =>
    /^(?! )[ -~]+(?<! )$/.test(text) ? undefined : 'must fit in a header: ASCII, no outer spaces',
};

function singleSchemas(): SingleSchemas {
  const names = Object.keys(SINGLE_SETTINGS) as SettingName[];
  const schemas = names.map((name) => [name, lazily(() => schemaOf(name))]);
  return Object.fromEntries(schemas);
}

function schemaOf(name: SettingName): z.ZodOptional<z.ZodType> {
  const { kind, max, about, defaultText }: Setting = SINGLE_SETTINGS[name];
  const findProblem = PROBLEMS[name] as ((value: unknown) => string | undefined) | undefined;
  const schemas: Record<Setting['kind'], () => z.ZodType> = {
    flag: () => z.boolean(),
    count: () => wholeNumber(0, max),
    text: () => requiredText(max),
  };
  return schemas[kind]()
    .refine((value) => !findProblem?.(value), { error: ({ input }) => findProblem?.(input) })
    .optional()
    .describe(defaultText === undefined ? `${about}.` : `${about}. Default: ${defaultText}.`);
}

/** A list of which no two items have the same key. */
const distinct = <Item extends z.ZodType>(
  item: () => Item,
  key: string,
  keyOf: (item: z.output<Item>, n: number) => unknown,
) =>
  z
    .array(z.lazy(item))
    .refine((list) => new Set(list.map(keyOf)).size === list.length, `two have the same ${key}`)
    .optional();

/**
 * The contents of `sandlot.config.json`: the options of `start`, and what worlds contain from the start. A schema is built
 * on first use, that of list items only for a list that has any: most starts have no file, or a short one.
 */
export const SETTING_SCHEMAS = {
  $schema: () => z.string().optional(),
  ...singleSchemas(),
  inventory_files: () =>
    z
      .array(z.lazy(inventoryFile))
      .optional()
      .describe('Files imported into the default world at the first start and on reset.'),
  rate_limits: () =>
    z
      .union([z.boolean(), z.partialRecord(z.enum(RATE_CLASSES), wholeNumber(1, MAX_PER_MINUTE))], {
        error: `must be true, false, or numbers per minute for ${RATE_CLASSES.join(', ')}`,
      })
      .optional()
      .describe(
        'Requests per minute by class; false for no limits, true for those of the specification. Default: true for start, false for exec.',
      ),
  credentials: () =>
    distinct(configuredCredential, 'key_id', ({ key_id }) => key_id).describe(
      'Credentials that always exist.',
    ),
  webhooks: () =>
    distinct(newRegistration, 'partner and environment', ({ partner, environment }) => {
      // A configuration can name the default partner by its ID too.
      const { partnerId, partner: defaultName } = DEFAULT_CREDENTIAL;
      return `${environment} ${partner === partnerId ? defaultName : partner}`;
    }).describe('Webhook registrations that always exist.'),
  faults: () =>
    distinct(fault, 'fault_id', ({ fault_id }, n) => fault_id ?? configuredFaultId(n)).describe(
      'Faults of the default world, active from the start.',
    ),
};

type Shape = { [Name in keyof typeof SETTING_SCHEMAS]: ReturnType<(typeof SETTING_SCHEMAS)[Name]> };

export function configSchema(): z.ZodObject<Shape, z.core.$strict> {
  const schemas = Object.entries(SETTING_SCHEMAS).map(([name, schema]) => [name, schema()]);
  return z.strictObject(Object.fromEntries(schemas) as Shape);
}

export type Config = z.output<ReturnType<typeof configSchema>>;

/** The JSON Schema of the configuration file. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(configSchema(), { io: 'input', unrepresentable: 'any' });
  return { ...schema, title: CONFIG_FILE };
}
