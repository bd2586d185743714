import { z } from 'zod';
import { CONFIG_FILE } from './config-file.ts';
import { configSchema } from './schema.ts';

/** The JSON Schema of the configuration file, from the schema that checks it. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(configSchema(), { io: 'input', unrepresentable: 'any' });
  return { ...schema, title: CONFIG_FILE };
}
