import { z } from 'zod';

export interface SchemaMetadata {
  id?: string;
  description?: string;
  /** Properties that the specification names; the documents mark the others as emulator choices. */
  specified?: readonly string[];
  [keyword: string]: unknown;
}

/** Metadata by schema. Read when a document is built, never while a request is served. */
export const schemaMetadata = z.registry<SchemaMetadata>();
