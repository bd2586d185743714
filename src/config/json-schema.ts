import { z } from 'zod';
import { CONFIG_FILE } from './config-file.ts';
import { configSchema } from './schema.ts';

export function configJsonSchema(): object {
  const schema = z.toJSONSchema(configSchema(), { io: 'input', unrepresentable: 'any' });
  return { ...schema, title: CONFIG_FILE };
}
