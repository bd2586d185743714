import { type Document, resolved, type Schema } from './document.ts';

/** A member of a record, or of one within it. */
export interface Member {
  /** As code reaches it: `buyer.email`, `orders[].status`. */
  name: string;
  type: string;
  required: boolean;
  chosen: boolean;
  /** What it may hold, and what it is for. */
  says: string[];
}

/** Every member of a schema down to its leaves, in order. */
export function membersOf(document: Document, schema: Schema, prefix = ''): Member[] {
  const { properties = {}, required = [] } = resolved(document, schema);
  return Object.entries(properties).flatMap(([name, raw]) => {
    const whole = resolved(document, raw);
    const { core, suffix } = withoutWrapping(document, whole);
    const member: Member = {
      name: prefix + name,
      type: typeWords(document, raw),
      required: required.includes(name),
      chosen: whole['x-emulator-choice'] === true,
      says: constraintsOf(document, whole),
    };
    const inner = core.anyOf
      ? core.anyOf.flatMap((one) => membersOf(document, one, `${prefix}${name}${suffix}.`))
      : membersOf(document, core, `${prefix}${name}${suffix}.`);
    return [member, ...firstOfEach(inner)];
  });
}

/** Alternatives share members; each is told once, and is required where all of them need it. */
function firstOfEach(members: readonly Member[]): Member[] {
  return [...Map.groupBy(members, ({ name }) => name).values()].flatMap(([first]) =>
    first ? [first] : [],
  );
}

/** What is in a list, or what may also be null. */
function withoutWrapping(document: Document, schema: Schema): { core: Schema; suffix: string } {
  const core = notNull(document, schema);
  return core.items
    ? { core: notNull(document, resolved(document, core.items)), suffix: '[]' }
    : { core, suffix: '' };
}

function notNull(document: Document, schema: Schema): Schema {
  const others = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  const [only] = others;
  return only !== undefined && others.length === 1 ? resolved(document, only) : schema;
}

/** `string or null`, `list of objects`. */
export function typeWords(document: Document, raw: Schema): string {
  const schema = resolved(document, raw);
  if (schema.anyOf) {
    return [...new Set(schema.anyOf.map((one) => typeWords(document, one)))].join(' or ');
  }
  if (schema.const !== undefined) return typeof schema.const;
  const types = [schema.type ?? 'any'].flat();
  return types
    .map((type) => {
      if (type !== 'array') return type;
      const item = schema.items ? typeWords(document, schema.items) : 'any';
      return `list of ${item}${item.includes(' ') ? '' : 's'}`;
    })
    .join(' or ');
}

/** What a value may be, in sentences. */
export function constraintsOf(document: Document, raw: Schema): string[] {
  const whole = resolved(document, raw);
  const schema: Schema = { ...notNull(document, whole), ...withoutUnions(whole) };
  const says: string[] = [];
  if (schema.description) says.push(schema.description);
  if (schema.const !== undefined) says.push(`Always \`${schema.const}\`.`);
  if (schema.enum) says.push(`One of ${schema.enum.map((one) => `\`${one}\``).join(', ')}.`);
  const range = rangeOf(schema);
  if (range) says.push(range);
  if (schema.format === 'date-time') says.push('ISO 8601, UTC, with milliseconds.');
  else if (schema.format === 'uri') says.push('An absolute http or https address.');
  else {
    const pattern = patternWords(schema.pattern);
    if (pattern) says.push(pattern);
  }
  if (schema.default !== undefined) says.push(`Left out, it is \`${schema.default}\`.`);
  return [...new Set(says)];
}

function withoutUnions({ anyOf: _, ...schema }: Schema): Schema {
  return schema;
}

function rangeOf(schema: Schema): string | undefined {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, maxItems } = schema;
  const number = (value: number) => value.toLocaleString('en-US');
  if (maxItems !== undefined) return `At most ${maxItems}.`;
  if (maxLength !== undefined) {
    return minLength === undefined
      ? `At most ${number(maxLength)} characters.`
      : `${number(minLength)} to ${number(maxLength)} characters.`;
  }
  if (minLength === 1) return 'Not empty.';
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1;
  if (least !== undefined && maximum !== undefined) {
    return `${number(least)} to ${number(maximum)}.`;
  }
  return least === undefined || least === 0 ? undefined : `At least ${number(least)}.`;
}

/** The patterns that say something to people. */
function patternWords(pattern: string | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  const prefix = /^\^([a-z]+_)$/.exec(pattern)?.[1];
  if (prefix) return `Begins with \`${prefix}\`.`;
  if (pattern === '^[A-Za-z]{3}$') return 'Three letters.';
  if (pattern === '^[A-Za-z]{2}$') return 'Two letters.';
  if (pattern.includes('@')) return 'An e-mail address.';
  if (pattern.startsWith('^[\\x21-\\x7e]')) return '1 to 255 visible ASCII characters.';
  return undefined;
}
