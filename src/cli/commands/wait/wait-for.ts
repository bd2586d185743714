import type { CommandContext } from '../../command.ts';
import { UsageError } from '../../failures.ts';

/** What `POST /wait` is asked; undefined members are left out. */
export interface Wish {
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

/** Waits at the control door and tells what was seen. @throws ControlRefusedError when time is up */
export async function waitFor({ control, out }: CommandContext, wish: Wish): Promise<void> {
  if (wish.count !== undefined && wish.exactly !== undefined) {
    throw new UsageError('--count and --exactly: expected one of them, not both');
  }
  out.result(await control().post<Met>('/wait', wish), ({ count, seen }, { paint }) => [
    wish.for === 'order' ? paint.good('reached') : paint.good(`${count} seen`),
    ...seen.map((line) => `  ${line}`),
  ]);
}
