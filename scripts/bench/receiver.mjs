// A minimal webhook receiver that reports how many webhooks it received.
import http from 'node:http';

let received = 0;
http
  .createServer((request, response) => {
    if (request.method === 'GET') return response.end(String(received));
    request.resume();
    request.on('end', () => {
      received += 1;
      response.end();
    });
  })
  .listen(Number(process.argv[2]), '127.0.0.1');
