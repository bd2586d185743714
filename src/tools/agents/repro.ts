import type { ControlClient } from '../../client/control-client.ts';
import type { Status } from '../../control/status.ts';
import type { Args } from './action.ts';

const PATH = '/repro/export';

/** Exports a repro. Returns its summary and the call that downloads the file, which is not text. */
export async function exportRepro(body: Args, control: ControlClient) {
  const response = await control.postForFile(PATH, body);
  await response.body?.cancel();
  const summary = JSON.parse(response.headers.get('X-Sandlot-Repro-Summary') ?? '') as Record<
    string,
    unknown
  >;
  const { url, world } = await control.get<Status>('/status');
  const query = `?world=${encodeURIComponent(world)}`;
  return { summary, file: { method: 'POST', url: `${url}/_sandbox${PATH}${query}`, body } };
}
