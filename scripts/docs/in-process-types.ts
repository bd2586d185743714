import fs from 'node:fs';
import path from 'node:path';
import { TOOL_DOCS } from './tools.ts';

const SRC = path.join(import.meta.dirname, '../../src');

/** Types of the in-process API, by the file that declares them. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  'index.ts': ['CreateSandboxOptions', 'InProcessSandbox'],
  'config/settings.ts': ['SandboxSettings'],
  'tools/exports.ts': ['ToolMethods'],
  'client/fetch.ts': ['Bytes'],
  'client/in-process-fetch.ts': ['InProcessFetch'],
  'client/partner-client.ts': ['Key', 'PartnerRequest'],
  'kernel/runtime.ts': ['Runtime'],
  ...Object.assign({}, ...TOOL_DOCS.map(({ types }) => types)),
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
