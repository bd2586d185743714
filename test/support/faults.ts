import type { ControlClient } from '../../src/client/control-client.ts';

export interface Fault {
  fault_id: string;
  match: Record<string, unknown>;
  effect: Record<string, unknown> | null;
  webhook: Record<string, unknown> | null;
  times: number | null;
  hits: number;
  created_at: string;
}

type At = { control: ControlClient };

export function addFault({ control }: At, input: object): Promise<Fault> {
  return control.post<Fault>('/faults', input);
}

export async function faultsOf({ control }: At): Promise<Fault[]> {
  return (await control.get<{ faults: Fault[] }>('/faults', { limit: 100 })).faults;
}

/** Hits of each fault, in order. */
export async function hitsOf(at: At): Promise<number[]> {
  return (await faultsOf(at)).map(({ hits }) => hits);
}
