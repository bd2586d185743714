import type { Recorder } from './openapi-examples/recorder.ts';
import { golive } from './tools/golive.ts';
import { receiverTests } from './tools/receiver-tests.ts';
import { repro } from './tools/repro.ts';
import { story } from './tools/story.ts';

/** What is generated for a tool. */
export interface ToolDocs {
  /** Generated sections, by document and name. */
  sections?: Readonly<Record<string, Readonly<Record<string, () => string>>>>;
  /** Types of the in-process API, by the file that declares them. */
  types?: Readonly<Record<string, readonly string[]>>;
  /** Calls its endpoints, for the examples of the OpenAPI documents. */
  recordCalls?(recorder: Recorder, about: { order: string }): Promise<void>;
}

/** Every tool with generated documents, in the order in which examples are recorded. */
export const TOOL_DOCS: readonly ToolDocs[] = [story, receiverTests, golive, repro];
