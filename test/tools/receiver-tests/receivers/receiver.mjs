// A correct webhook receiver: PORT=… SECRET=… EFFECTS=file node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { PORT, SECRET, EFFECTS } = process.env;
if (!SECRET) throw new Error('SECRET is not set');

function verify(rawBody, signature) {
  const expected = Buffer.from(createHmac('sha256', SECRET).update(rawBody).digest('hex'));
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Writes the id and the effect in one line, so that neither is there without the other. */
function processOnce({ id, type, created_at: createdAt, data }) {
  if (!/^(order|brokerage)\./.test(type)) return;
  if (readFileSync(EFFECTS, 'utf8').includes(`${id} `)) return;
  const { public_id: orderId, status } = data.order ?? {
    public_id: data.case.case_id,
    ...data.case,
  };
  appendFileSync(EFFECTS, `${id} ${orderId} ${createdAt} ${status}\n`);
}

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const rawBody = Buffer.concat(pieces);
    if (!verify(rawBody, request.headers['x-service-signature'])) {
      response.writeHead(401).end('{"error":"invalid signature"}');
      return;
    }
    processOnce(JSON.parse(rawBody.toString('utf8')));
    response.writeHead(200).end();
  });
});
server.listen(Number(PORT), '127.0.0.1');
