import { parentPort, workerData } from 'node:worker_threads';
import { CodedError, type ErrorCode } from '../../kernel/errors.ts';
import type { Analyzed } from './analyze.ts';
import { type ExportRequest, runExport } from './run-export.ts';
import { InFlightError } from './select.ts';

/** The message of an export thread. */
export type ThreadResult =
  | { exported: Analyzed }
  | { inFlight: true }
  | { rejected: { code: ErrorCode; message: string } };

async function result(request: ExportRequest): Promise<ThreadResult> {
  try {
    return { exported: await runExport(request) };
  } catch (error) {
    if (error instanceof InFlightError) return { inFlight: true };
    if (!(error instanceof CodedError)) throw error;
    return { rejected: { code: error.code, message: error.message } };
  }
}

// A rejection ends the thread with the error.
void result(workerData as ExportRequest).then((sent) => parentPort?.postMessage(sent));
