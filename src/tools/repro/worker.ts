import { parentPort, workerData } from 'node:worker_threads';
import { type ExportRequest, runExport } from './run-export.ts';

// A rejection ends the thread with the error.
void runExport(workerData as ExportRequest).then((exported) => parentPort?.postMessage(exported));
