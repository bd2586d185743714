import { diffJson } from '../../kernel/diff-json.ts';
import { parseShallowJson } from '../../kernel/json.ts';
import { headersOf } from '../../requests/compare-requests.ts';
import type { Message } from '../../requests/message.ts';
import { failedStepOf } from '../../requests/trace.ts';
import { type RequestRecord, textOf } from './format.ts';
import type { ReplayedResponse } from './logged-requests.ts';
import type { Difference } from './result.ts';

const MAX_DIFFERENCES = 20;

/** Control API calls whose responses depend on what a replay does not repeat: deliveries, snapshots, other worlds, tools, real time. */
const NOT_COMPARED =
  /^\w+ \/_sandbox\/(?:snapshots|worlds|webhooks|deliveries|events|faults|clock|idle|wait|golive)\b/;

/** A search for a replaced address or name, which may find other domains. */
const REPLACED_SEARCH = /^[^?]*\/domains\/search\?.*buyer(?:[-+]|%20)\d/i;

/** In responses of control API calls: secrets, which are not in a file, and messages, which may list other worlds. */
const VOLATILE = ['body.secret', 'body.error.message'];

/** A position in a rejected body, which moves if texts before it are replaced. */
const POSITION = /(?<="body: not valid JSON) at position \d+/;

/** Shown beside other differences. Alone it is not a difference, because the client gets the same response. */
const FAILED_CHECK = 'failed check';

/** Returns how a replayed response differs from the recorded one. */
export function differencesOf(record: RequestRecord, replayed: ReplayedResponse): Difference[] {
  if (!isCompared(record)) return [];
  const { api, response } = record;
  const isControl = api === 'control';
  const isClosed = record.status === null || replayed.status === null;
  const [recordedText = '', replayedText = ''] = comparedTexts(response, replayed.response);
  const parts = (outcome: ReplayedResponse, text: string) => ({
    status: outcome.status ?? 'closed',
    ...(!isClosed && {
      headers: headersOf(outcome.response.headers),
      body: parseShallowJson(text) ?? text,
    }),
    [FAILED_CHECK]: failedStepOf(outcome.trace)?.check ?? 'none',
  });
  const { differences } = diffJson(parts(record, recordedText), parts(replayed, replayedText), {
    isVolatile: (path) => isControl && VOLATILE.includes(path),
    max: MAX_DIFFERENCES,
  });
  if (differences.every(({ path }) => path === FAILED_CHECK)) {
    // The fields of the body may be in another order. Those of a control API body may be volatile: its text is not compared.
    const isSame = isControl || recordedText === replayedText;
    return isSame ? [] : [{ path: 'body', recorded: recordedText, replayed: replayedText }];
  }
  return differences.map(({ path, a, b }) => ({
    path,
    ...(a !== undefined && { recorded: a }),
    ...(b !== undefined && { replayed: b }),
  }));
}

/** Whether a replay repeats the response to a request. */
export function isCompared({ api, method, target }: RequestRecord): boolean {
  return !(api === 'control' ? NOT_COMPARED : REPLACED_SEARCH).test(`${method} ${target}`);
}

/** Returns the bodies of two responses, but only up to where the log has cut one. */
function comparedTexts(...responses: Message[]): string[] {
  const texts = responses.map((response) => textOf(response).replace(POSITION, ''));
  const cutTexts = texts.filter((_, n) => responses[n]?.altered === 'truncated');
  const end = Math.min(...cutTexts.map(({ length }) => length));
  return texts.map((text) => text.slice(0, end));
}
