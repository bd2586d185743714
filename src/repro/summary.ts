import type { Repro, ReproHead, ReproInput, ReproRequest, ReproRow } from './format.ts';
import type { PersonalKind } from './replacements.ts';

/** What a file contains. */
export interface ReproSummary {
  /** Name and size of the file; null if it has none. */
  file_name: string | null;
  bytes: number | null;
  sandlot: string;
  world: string;
  verified: boolean;
  problem: NonNullable<ReproHead['problem']> | null;
  inputs: number;
  target: ReproTarget;
  contains: { partner: number; control: number; page: number; steps: number };
  base: SummaryOfBase;
  personal_data: 'replaced' | 'kept';
  replaced: Partial<Record<PersonalKind, number>>;
  /** Requests that mint a secret, which can be computed from the file. */
  minting: number[];
}

type SummaryOfBase =
  | { type: 'seed'; seed: string; inventory: number }
  | { type: 'rows'; rows: number; inventory: number };

interface ReproTarget {
  input: number;
  request_id: string | null;
  method: string | null;
  target: string;
  status: number | null;
  code: string | null;
}

export function summaryOf(
  { head, rows, inputs }: Repro,
  file: { name: string; bytes: number } | undefined,
): ReproSummary {
  const requests = inputs.filter((input) => input.kind === 'request');
  const count = (api: ReproRequest['api']) => requests.filter((each) => each.api === api).length;
  return {
    file_name: file?.name ?? null,
    bytes: file?.bytes ?? null,
    sandlot: head.sandlot,
    world: head.world,
    verified: head.verified,
    problem: head.problem ?? null,
    inputs: inputs.length,
    target: targetOf(inputs.find(({ n }) => n === head.target)),
    contains: {
      partner: count('partner'),
      control: count('control'),
      page: count('page'),
      steps: inputs.length - requests.length,
    },
    base: baseOf(head, rows),
    personal_data: head.privacy.personal_data,
    replaced: head.privacy.replaced,
    minting: requests.filter(mints).map(({ n }) => n),
  };
}

function targetOf(input: ReproInput | undefined): ReproTarget {
  if (input?.kind !== 'request') {
    const label = input ? `step ${input.label}` : 'none';
    return {
      input: input?.n ?? 0,
      request_id: null,
      method: null,
      target: label,
      status: null,
      code: null,
    };
  }
  const { n, request_id, method, target } = input;
  return { input: n, request_id, method, target, ...outcomeOf(input) };
}

/** The status and the error code of a recorded response. */
export function outcomeOf({ response }: ReproRequest): {
  status: number | null;
  code: string | null;
} {
  if (!response || 'closed' in response) return { status: null, code: null };
  const { status, body } = response;
  const text = 'text' in body ? body.text : '';
  const [, code = null] = status >= 400 ? (/^\{"error":\{"code":"([a-z_]+)"/.exec(text) ?? []) : [];
  return { status, code };
}

function baseOf({ base }: ReproHead, rows: readonly ReproRow[]): SummaryOfBase {
  if (base.type === 'seed') return { type: 'seed', seed: base.seed, inventory: base.inventory };
  const inventory = rows.filter(({ table }) => table === 'listings').length;
  return { type: 'rows', rows: rows.length, inventory };
}

function mints(request: ReproRequest): boolean {
  const { api, method, target } = request;
  const isMint = api === 'control' && method === 'POST' && /\/credentials(?:\?|$)/.test(target);
  const body = request.body && 'text' in request.body ? request.body.text : '';
  return isMint && outcomeOf(request).status === 201 && !/"secret"\s*:/.test(body);
}
