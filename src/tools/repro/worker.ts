import { parentPort, workerData } from 'node:worker_threads';
import { type ExportSource, exportFile } from './export.ts';

// A rejection ends the thread with the error.
void exportFile(workerData as ExportSource).then((exported) => parentPort?.postMessage(exported));
