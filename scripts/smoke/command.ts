import assert from 'node:assert/strict';

/** Runs `sandlot` in an empty folder and returns its output. */
export type Sandlot = (...args: string[]) => string;

const PAGES = ['/_sandbox/health', '/_sandbox/', '/_sandbox/reference', '/_sandbox/openapi.json'];

/** Sells a domain as in the quick start of the README. The order must survive a kill of the server. */
export async function checkCommand(sandlot: Sandlot): Promise<void> {
  const start = () => JSON.parse(sandlot('start', '--port', '0', '--detach', '--json'));
  const first = start();
  try {
    for (const page of PAGES) {
      const { status } = await fetch(first.url + page);
      assert(status === 200, `${page} returned ${status}`);
    }
    const { domains } = request('GET', '/domains/search?q=coffee');
    assert(domains.length === 5, `a search for coffee found ${domains.length} domains`);
    const { quote_id } = request('POST', '/quotes', { domain: domains[0].domain });
    const order = request('POST', '/orders', { quote_id, external_payment_ref: 'pay-1' });
    sandlot('orders', 'advance', order.public_id, '--to', 'TRANSFER_COMPLETED');

    process.kill(first.pid, 'SIGKILL');
    await waitForExit(first.pid);
    start();
    const { status } = request('GET', `/orders/${order.public_id}`);
    assert(status === 'TRANSFER_COMPLETED', `after a kill, the order is ${status}`);
  } finally {
    sandlot('stop');
  }

  function request(method: string, path: string, body?: object) {
    const data = body ? ['--data', JSON.stringify(body)] : [];
    return JSON.parse(sandlot('request', method, `/api/partner/v1${path}`, ...data));
  }
}

async function waitForExit(pid: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (isRunning(pid)) {
    assert(Date.now() < deadline, `process ${pid} still runs`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
