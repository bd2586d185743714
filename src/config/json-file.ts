import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  type ParseOptions,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { z } from 'zod';
import { parseJson } from '../kernel/json.ts';
import { WRONG_TYPE } from '../kernel/wrong-type.ts';

/** Invalid JSON, or JSON that does not match its schema; the message names file, line, field and reason. */
export class JsonFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonFileError';
  }
}

interface JsonFile<Schema extends z.ZodType> {
  /** The path as the user wrote it, for messages. */
  name: string;
  text: string;
  schema: Schema;
  /** Returns the message for a field that the schema does not have. */
  unknownField: (field: string) => string;
  syntax?: ParseOptions;
}

/** Parses and checks JSON text. @throws JsonFileError with the line of the first error */
export function parseJsonFile<Schema extends z.ZodType>({
  name,
  text,
  schema,
  unknownField,
  syntax = { disallowComments: true },
}: JsonFile<Schema>): z.output<Schema> {
  const errors: ParseError[] = [];
  // The tree that finds lines takes ten times longer.
  const quickly = parseJson(text);
  const tree = quickly === undefined ? treeOf(text, errors, syntax) : undefined;
  const [error] = errors;
  if (error || (quickly === undefined && !tree)) {
    const reason = syntaxReason(text, error);
    throw new JsonFileError(
      `${name}:${lineAt(text, error?.offset ?? 0)}: not valid JSON (${reason})`,
    );
  }
  const result = schema.safeParse(quickly ?? (tree && plainValue(tree)), WRONG_TYPE);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = (issue?.path ?? []).filter((part) => typeof part !== 'symbol');
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const fields = [...place, ...(unknown === undefined ? [] : [unknown])];
  const offset = offsetOf(tree ?? treeOf(text, [], syntax), fields);
  const reason = unknown === undefined ? issue?.message : unknownField(unknown);
  const field = fields.length === 0 ? '' : `${fields.join('.')}: `;
  throw new JsonFileError(`${name}:${lineAt(text, offset)}: ${field}${reason}`);
}

function syntaxReason(text: string, error: ParseError | undefined): string {
  if (text.trim() === '') return 'the file is empty';
  if (!error) return 'it is nested too deeply';
  const words = printParseErrorCode(error.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return words.toLowerCase();
}

/** @returns undefined if the text is empty or nested too deeply */
function treeOf(text: string, errors: ParseError[], syntax: ParseOptions): Node | undefined {
  try {
    return parseTree(text, errors, syntax);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type !== 'object') return node.value;
  const entries = (node.children ?? []).map(({ children }): [string, unknown] => {
    const [key, value] = children ?? [];
    return [String(key?.value), value && plainValue(value)];
  });
  return Object.fromEntries(entries);
}

/** Returns the offset of a field, or of its nearest parent if it is missing. */
function offsetOf(tree: Node | undefined, path: readonly (string | number)[]): number {
  if (!tree) return 0;
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, depth));
    if (node) return node.parent?.type === 'property' ? node.parent.offset : node.offset;
  }
  return tree.offset;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
