// Verifies each webhook and prints its type.
import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';

const { PORT = '3000', WEBHOOK_SECRET = '' } = process.env;

http
  .createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const expected = Buffer.from(createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex'));
    const given = Buffer.from(String(request.headers['x-service-signature'] ?? ''));
    const valid = given.length === expected.length && timingSafeEqual(given, expected);
    if (valid) console.log(JSON.parse(body.toString()).type);
    response.writeHead(valid ? 200 : 401).end();
  })
  .listen(Number(PORT), () => console.log(`receiver on port ${PORT}`));
