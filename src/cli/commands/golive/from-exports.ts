import { goliveItems } from '../../../api/golive-items.ts';
import { type CoverageExport, mergeExports } from '../../../coverage/export-file.ts';
import type { Gate } from '../../../coverage/gate.ts';
import { makeReport, type Report } from '../../../coverage/report.ts';
import { VERSION } from '../../../version.ts';
import type { CommandLineIo } from '../../io.ts';
import { readExports } from './read-files.ts';

export function reportOn(
  io: CommandLineIo,
  files: readonly string[],
  gate: { file: string; content: Gate } | undefined,
): Report {
  const { sources } = merge(io, '--from', files);
  return makeReport({
    items: goliveItems(),
    sources,
    gate,
    sandlot: VERSION,
    now: io.runtime.now(),
  });
}

export function merge(io: CommandLineIo, option: string, files: readonly string[]): CoverageExport {
  return mergeExports(readExports(io, option, files), VERSION);
}
