import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A partner's own web site, to which buyers return. */
interface PartnerSite {
  url: string;
  /** Requested paths, in order. */
  visits: string[];
  close(): Promise<void>;
}

/**
 * Starts a web site on loopback.
 * @param goOn where `/thanks` redirects to, with its query, as a login or another host name would do
 */
export async function openPartnerSite(goOn?: string): Promise<PartnerSite> {
  const visits: string[] = [];
  const server = http.createServer((request, response) => {
    const target = request.url ?? '/';
    visits.push(target);
    if (goOn !== undefined && target.startsWith('/thanks')) {
      response.writeHead(302, { Location: goOn + target }).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome back</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
