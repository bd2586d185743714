import http from 'node:http';
import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { takeViolations } from '../support/openapi/watch.ts';
import { listenOnLoopback } from '../support/ports.ts';
import { commandLine } from './command-line.ts';

function web(status: number): http.Server {
  return http.createServer((_request, response) => response.writeHead(status).end('<html>'));
}

// No OpenAPI document describes these servers.
afterEach(() => void takeViolations());

const WORLD_FILE = 'HTTP/1.1 200 OK\r\nContent-Type: application/vnd.sqlite3\r\n';

/** Answers the first bytes of each connection with a text. */
function raw(text: string): net.Server {
  return net.createServer((socket) => void socket.once('data', () => socket.end(text)));
}

test.each<[name: string, server: net.Server, message: string, scheme?: string]>([
  ['of another program', web(404), '(another program responds: status 404, no content type)'],
  ['with a page at every path', web(200), '(another program responds: status 200'],
  ['without TLS', web(404), '(ERR_SSL_', 'https'],
  ['that is killed', raw(`${WORLD_FILE}Content-Length: 9\r\n\r\n{`), '(UND_ERR_SOCKET)'],
  ['that does not speak HTTP', raw('SSH-2.0-x\r\n'), 'does not match the HTTP/1.1 protocol'],
])(
  'an address of a server %s: the error says what answers, and the exit code is 3',
  async (_, server, message, scheme = 'http') => {
    const url = (await listenOnLoopback(server)).replace('http', scheme);
    const run = commandLine(undefined, { fetch });
    // A signed request that may have been sent is another failure.
    const unsent = scheme === 'https' ? ['request GET /api/partner/v1/orders'] : [];
    for (const line of ['orders list', 'worlds export w w.db', ...unsent]) {
      const { code, stderr } = await run(`${line} --url ${url}`);
      expect(stderr).toContain(message);
      expect(stderr).toContain(`no sandbox responds at ${url}`);
      expect(stderr).toContain('(from --url)');
      expect(code).toBe(3);
    }
  },
);
