import { z } from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
};

/** Options of a parse: messages in place of those of Zod. A message of the schema itself has precedence. */
export const SCHEMA_MESSAGES: { error: z.core.$ZodErrorMap } = {
  error(issue) {
    if (issue.code === 'unrecognized_keys') {
      const fields = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
      return `unknown field "${issue.keys[0]}"${fields.length > 0 ? `; use ${fields.join(', ')}` : ''}`;
    }
    if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value') return undefined;
    if (issue.input === undefined) return 'is required';
    if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
    const kind = KINDS[issue.expected];
    return kind && `must be ${kind}`;
  },
};
