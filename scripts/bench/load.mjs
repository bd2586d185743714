import net from 'node:net';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Sends requests over persistent connections, each after the previous response of its connection. Ignores the
 * responses, so that the server is the bottleneck.
 * @param next returns the bytes of the next request; undefined at the end
 * @returns counts of 2xx and other responses, the duration in seconds, and the p99 in ms
 */
export async function load(port, { connections, seconds, next }) {
  const told = { ok: 0, other: 0, firstOther: undefined, took: [] };
  const begun = performance.now();
  const until = begun + seconds * 1_000;
  await Promise.all(Array.from({ length: connections }, () => connection(port, until, next, told)));
  const { took, ...counts } = told;
  took.sort((a, b) => a - b);
  const p99 = took[Math.floor(took.length * 0.99)] ?? 0;
  return { ...counts, p99, seconds: (performance.now() - begun) / 1_000 };
}

function connection(port, until, next, told) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.setNoDelay();
    let rest = Buffer.alloc(0);
    let sentAt = 0;
    const send = () => {
      const bytes = performance.now() < until ? next() : undefined;
      sentAt = performance.now();
      if (bytes) socket.write(bytes);
      else socket.end(resolve);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const head = rest.indexOf(END_OF_HEAD);
      if (head < 0) return;
      const text = rest.latin1Slice(0, head);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
      if (rest.length < head + 4 + length) return;
      // After "HTTP/1.1 ".
      if (text[9] === '2') told.ok += 1;
      else {
        told.other += 1;
        told.firstOther ??= rest.toString();
      }
      rest = rest.subarray(head + 4 + length);
      told.took.push(performance.now() - sentAt);
      send();
    });
  });
}
