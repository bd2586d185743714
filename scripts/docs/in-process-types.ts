import fs from 'node:fs';
import path from 'node:path';

const SRC = path.join(import.meta.dirname, '../../src');

/** Types of the in-process API, by the file that declares them. */
const TYPES = {
  'index.ts': ['CreateSandboxOptions', 'InProcessSandbox'],
  'tools/repro/api.ts': ['ReproMethods', 'ExportReproOptions'],
  'config/settings.ts': ['SandboxSettings'],
  'tools/exports.ts': ['ToolSettings', 'ToolMethods'],
  'tools/golive/settings.ts': ['GoliveSettings'],
  'client/partner-client.ts': ['Key', 'PartnerRequest'],
  'tools/repro/result.ts': [
    'ExportedRepro',
    'ReproSummary',
    'ReplayResult',
    'ReplayDifference',
    'Difference',
  ],
  'tools/receiver-tests/options.ts': ['ReceiverTestOptions'],
  'kernel/runtime.ts': ['Runtime'],
};

/** Returns the declarations as they are in the source. */
export function inProcessTypes(): string {
  const declarations = Object.entries(TYPES).flatMap(([file, names]) => {
    const text = fs.readFileSync(path.join(SRC, file), 'utf8');
    return names.map((name) => {
      const found = new RegExp(
        `^export (interface ${name} (?:extends [\\w, ]+ )?\\{[\\s\\S]*?^\\}|type ${name} = [^;]+;)`,
        'm',
      ).exec(text);
      if (!found?.[1]) throw new Error(`${file} does not declare ${name}`);
      return found[1];
    });
  });
  return ['```ts', declarations.join('\n\n'), '```'].join('\n');
}
