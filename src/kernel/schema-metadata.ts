import { z } from 'zod';

export interface SchemaMetadata {
  id?: string;
  description?: string;
  /** Properties that the specification names: documents mark the others as emulator choices. Without it, they mark none. */
  specified?: readonly string[];
  [keyword: string]: unknown;
}

/** Metadata by schema. Read when a document is built, never while a request is served. */
export const schemaMetadata = z.registry<SchemaMetadata>();
