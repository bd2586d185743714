import { ADMIT, RECEIVE, RESPOND } from '../../src/http/pipeline/steps.ts';
import type { Check } from '../../src/requests/trace.ts';

interface PipelineStep {
  check?: Check;
  // biome-ignore lint/complexity/noBannedTypes: only the name of the function is read.
  run: Function;
}

/** The requirement of each check, and the response if it fails. */
const REQUIREMENTS: Partial<Record<Check, string>> = {
  body: 'at most 1 MiB; else 413 `validation_error`',
  headers:
    'key ID present, else 401 `missing_credentials`; the other three present, else 401 `missing_signature_headers`',
  timestamp: 'Unix seconds, within 300 s; else 401 `invalid_timestamp`',
  key: 'a known credential that is not revoked; else 401 `invalid_signature`',
  signature: 'matches the canonical string; else 401 `invalid_signature`',
  nonce: 'not used by this credential within 600 s; else 401 `replay_detected`',
  route: 'a known path and method; else 404 `not_found`',
  scope: 'the credential has the scope of the endpoint; else 403 `forbidden`',
  affiliate:
    'on `/links`, `/me/*` and `/analytics`, the credential has an affiliate account; else 403 `forbidden`',
  approval: 'a LIVE credential is approved; else 403 `forbidden`',
  rate_limit: 'fewer requests than the limit in the last 60 s; else 429 `rate_limited`',
  idempotency:
    'on `POST /orders`, an `Idempotency-Key`, else 400 `missing_idempotency_key`; a key with another body gives 409 `conflict`; a known key returns the stored response',
  validation: 'valid input; else 400 `validation_error`',
  rules: 'the rules of the endpoint (price, quote, state); handles the request',
};

/** Descriptions of the steps that check nothing, by function name. */
const ACTIONS: Record<string, string> = {
  parseInput: 'parses path, query and body',
  matchFaults: 'finds the fault or magic domain that applies, and waits for its delay',
  injectError: 'returns the error of the fault or magic domain',
  storeResponse: 'stores the response for its `Idempotency-Key`',
};

const STAGES: [name: string, steps: readonly PipelineStep[]][] = [
  ['receive', RECEIVE],
  ['admit', ADMIT],
  ['respond', RESPOND],
];

/**
 * Returns the table of the order of checks, from the lists of steps that run a request. @throws Error for a step
 * without a text
 */
export function checksTable(): string {
  const rows = STAGES.flatMap(([stage, steps]) =>
    steps.map(({ check, run }) => {
      const text = check ? REQUIREMENTS[check] : ACTIONS[run.name];
      if (!text) throw new Error(`scripts/docs/checks.ts does not describe ${check ?? run.name}`);
      return `| ${stage} | ${check ? `\`${check}\`` : ''} | ${text} |`;
    }),
  );
  return ['| stage | check | |', '|---|---|---|', ...rows].join('\n');
}

/** Returns the functions of the steps, for the source layout. */
export function pipelineText(): string {
  const stages = STAGES.map(([stage, steps]) => stageText(stage, steps));
  return ['```text', ...stages, '```'].join('\n');
}

function stageText(stage: string, steps: readonly PipelineStep[]): string {
  const label = stage.padEnd(9);
  const lines: string[] = [];
  for (const { run } of steps) {
    const last = lines.at(-1);
    const joined = `${last} → ${run.name}`;
    if (last === undefined) lines.push(`${label}${run.name}`);
    else if (joined.length <= 110) lines[lines.length - 1] = joined;
    else lines.push(`${''.padEnd(label.length)}→ ${run.name}`);
  }
  return lines.join('\n');
}
