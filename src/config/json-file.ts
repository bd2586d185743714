import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  type ParseOptions,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { z } from 'zod';
import { UsageError } from '../kernel/errors.ts';
import { measureJson } from '../kernel/json.ts';
import { SCHEMA_MESSAGES } from '../kernel/schema-messages.ts';

interface JsonFile<Schema extends z.ZodType> {
  /** What messages call the file: its path as the user wrote it. */
  name: string;
  text: string;
  schema: Schema;
  /** Returns the message for a field that the schema does not have. */
  unknownField: (field: string) => string;
  syntax?: ParseOptions;
}

/** Parses and checks JSON text. @throws UsageError with file, line, field and reason of the first error */
export function parseJsonFile<Schema extends z.ZodType>({
  name,
  text,
  schema,
  unknownField,
  syntax = { disallowComments: true },
}: JsonFile<Schema>): z.output<Schema> {
  const errorAt = (offset: number, reason: string) => {
    const line = text.slice(0, offset).split('\n').length;
    return new UsageError(`${name}:${line}: ${reason}`);
  };
  // The parser would exhaust the stack.
  if (measureJson(text).depth > 1_000) throw new UsageError(`${name}: nested too deeply`);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, syntax);
  const [error] = errors;
  if (error) {
    // `CloseBraceExpected` → `Close Brace Expected`
    const errorName = printParseErrorCode(error.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
    const reason = text.trim() === '' ? 'the file is empty' : errorName.toLowerCase();
    throw errorAt(error.offset, `not valid JSON (${reason})`);
  }
  const repeated = tree && findRepeatedName(tree);
  if (repeated) throw errorAt(repeated.offset, `${repeated.value}: given twice`);
  const result = schema.safeParse(tree && getNodeValue(tree), SCHEMA_MESSAGES);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const issuePath = (issue?.path ?? []).filter((part) => typeof part !== 'symbol');
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const fields = [...issuePath, ...(unknown === undefined ? [] : [unknown])];
  const reason = unknown === undefined ? issue?.message : unknownField(unknown);
  const field = fields.length === 0 ? '' : `${fields.join('.')}: `;
  throw errorAt(offsetOf(tree, fields), `${field}${reason}`);
}

/** Returns a name that its object has twice, which would hide the first value. */
function findRepeatedName({ type, children = [] }: Node): Node | undefined {
  const names = type === 'object' ? children.flatMap((child) => child.children?.[0] ?? []) : [];
  const first = new Map(names.toReversed().map((name) => [name.value, name]));
  const repeated = names.find((name) => first.get(name.value) !== name);
  return repeated ?? children.map(findRepeatedName).find((name) => name !== undefined);
}

/** Returns the offset of a field, or of its nearest parent if it is missing. */
function offsetOf(tree: Node | undefined, path: readonly (string | number)[]): number {
  const node = tree && findNodeAtLocation(tree, [...path]);
  if (!node) return path.length === 0 ? 0 : offsetOf(tree, path.slice(0, -1));
  return node.parent?.type === 'property' ? node.parent.offset : node.offset;
}
