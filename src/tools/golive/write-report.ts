import { UsageError } from '../../cli/errors.ts';
import type { CommandLineIo } from '../../cli/io.ts';
import { jsonText, requireWritable, writeAtomically } from '../../cli/write-file.ts';
import { junitXml } from '../junit.ts';
import { describeEvidence } from './describe.ts';
import { renderHtml } from './html.tsx';
import { nextLines } from './next.ts';
import { isOpen, type Report } from './report.ts';

/** Absolute paths of the files of a report. */
interface Targets {
  html?: string | undefined;
  junit?: string | undefined;
  json?: string | undefined;
}

/**
 * Checks whether the files of a report can be written.
 * @param files by option: `{ '--html': 'golive.html' }`
 * @throws UsageError if one cannot be written
 */
export function checkTargets(
  io: CommandLineIo,
  files: Readonly<Record<string, string | undefined>>,
): Map<string, string> {
  const targets = new Map<string, string>();
  for (const [option, file] of Object.entries(files)) {
    if (file === undefined) continue;
    const target = requireWritable(io, option, file);
    for (const [otherOption, value] of targets) {
      if (value === target) throw new UsageError(`${option}: ${otherOption} writes the same file`);
    }
    targets.set(option, target);
  }
  return targets;
}

export async function writeReports(report: Report, targets: Targets): Promise<void> {
  const { html, junit, json } = targets;
  if (html !== undefined) await writeAtomically(html, await renderHtml(report));
  if (junit !== undefined) await writeAtomically(junit, renderJunit(report));
  if (json !== undefined) await writeJson(json, report);
}

export async function writeJson(file: string, content: object): Promise<void> {
  await writeAtomically(file, jsonText(content));
}

/** Renders the report as JUnit XML: a suite per group, a case per item. */
export function renderJunit({ items, gate }: Report): string {
  const cases = items.map((item) => {
    const { id, title, status, group, contradictions, next } = item;
    const details = [...contradictions.map(describeEvidence), ...nextLines(next)].join('\n');
    const reason = gate.waived.find((waiver) => waiver.id === id)?.reason ?? status;
    return {
      group,
      name: `${id} ${title}`,
      failure: isOpen(item) && { message: `${id} is ${status}`, details },
      skipped: !isOpen(item) && status !== 'met' && reason,
    };
  });
  return junitXml('golive', cases);
}
