// Sends signed requests one after the other and records the longest response time.
import http from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { signedGet } from './signed.mjs';

const { port, everyMs } = workerData;
const agent = new http.Agent({ keepAlive: true });
let longest = 0;
let count = 0;
let stopping = false;

parentPort.once('message', () => {
  stopping = true;
});

for (let n = 0; !stopping; n += 1) {
  const begun = performance.now();
  await request();
  const took = performance.now() - begun;
  // The first requests open the connection.
  if (n > 20) {
    longest = Math.max(longest, took);
    count += 1;
  }
  if (n === 20) parentPort.postMessage('ready');
  await new Promise((resolve) => setTimeout(resolve, everyMs));
}
parentPort.postMessage({ longest, count });

function request() {
  return new Promise((resolve, reject) => {
    http
      .get({ ...signedGet(port), agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume().on('end', resolve);
      })
      .on('error', reject);
  });
}
