import type { CommandContext } from '../../command.ts';
import { UsageError } from '../../failures.ts';

/** What `POST /wait` is asked; undefined members are left out. */
export interface WaitInput {
  for: 'order' | 'event' | 'delivery';
  id?: string | undefined;
  state?: string | undefined;
  type?: string | undefined;
  status?: string | undefined;
  count?: number | undefined;
  exactly?: number | undefined;
  timeout_ms: number;
}

interface Met {
  met: boolean;
  count: number;
  seen: string[];
}

/** Waits at the control door and tells what was seen. @throws ControlApiError when time is up */
export async function waitFor({ control, out }: CommandContext, input: WaitInput): Promise<void> {
  if (input.count !== undefined && input.exactly !== undefined) {
    throw new UsageError('--count and --exactly: expected one of them, not both');
  }
  out.result(await control().post<Met>('/wait', input), ({ count, seen }, { paint }) => [
    input.for === 'order' ? paint.good('reached') : paint.good(`${count} seen`),
    ...seen.map((line) => `  ${line}`),
  ]);
}
