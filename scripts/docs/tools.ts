import { golive } from './tools/golive.ts';
import { receiverTests } from './tools/receiver-tests.ts';
import { repro } from './tools/repro.ts';

/** What is generated for a tool. */
export interface ToolDocs {
  /** Generated sections, by document and name. */
  sections?: Readonly<Record<string, Readonly<Record<string, () => string>>>>;
  /** Types of the in-process API, by the file that declares them. */
  types?: Readonly<Record<string, readonly string[]>>;
}

/** Every tool with generated documents. */
export const TOOL_DOCS: readonly ToolDocs[] = [receiverTests, golive, repro];
