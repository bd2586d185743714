export interface ServerEvent {
  event: string;
  data: string;
}

/** Reads a stream of server-sent events, without comments. @throws what the stream throws */
export async function* readServerEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

function eventOf(block: string): ServerEvent | undefined {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const all = (name: string) =>
    fields.filter((each) => each?.[1] === name).map((each) => each?.[2]);
  const data = all('data');
  if (data.length === 0) return undefined;
  return { event: all('event').at(-1) ?? 'message', data: data.join('\n') };
}
