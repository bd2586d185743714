import net from 'node:net';
import { onTestFinished } from 'vitest';

/** Below the ports that a system gives out by itself, so that no other process gets one of them meanwhile. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/** Returns ports of this machine that are free and stay so until a test listens there. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

/**
 * Listens on loopback until the test ends. Returns the URL, without a slash at its end.
 * @param finished `onTestFinished` of a concurrent test, or `afterAll`
 */
export async function listenOnLoopback(
  server: net.Server,
  finished: (close: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  finished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
