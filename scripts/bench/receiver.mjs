// A minimal webhook receiver: responds to each request at once.
import http from 'node:http';

http
  .createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end());
  })
  .listen(Number(process.argv[2]), '127.0.0.1');
