// The baseline: a minimal Hono server.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.get('/hello', (c) => c.json({ hello: 'world' }));
app.post('/hello', async (c) => c.json({ got: (await c.req.text()).length }, 201));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: '127.0.0.1' });
