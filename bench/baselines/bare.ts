import { createServer } from 'node:http';
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';
import { Server } from 'socket.io';
import { v7 as uuid } from 'uuid';

/**
 * The baseline of sends and pages: the least that a chat server can do, one INSERT and one emit for a message, one
 * SELECT for a page. No accounts, no rights, no checks, no log. With REDIS_URL it runs on several nodes, by the stock
 * adapter.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
await pool.query(`CREATE TABLE IF NOT EXISTS bare_messages (id uuid PRIMARY KEY, channel_id uuid NOT NULL,
  author_id uuid NOT NULL, content text NOT NULL, created_at timestamptz NOT NULL DEFAULT now())`);
await pool.query('CREATE INDEX IF NOT EXISTS bare_by_channel ON bare_messages (channel_id, created_at DESC)');

const insert = {
  name: 'insert',
  text: 'INSERT INTO bare_messages (id, channel_id, author_id, content) VALUES ($1, $2, $3, $4) RETURNING *',
};
const page = {
  name: 'page',
  text: 'SELECT * FROM bare_messages WHERE channel_id = $1 ORDER BY created_at DESC LIMIT 50',
};
const author = '00000000-0000-7000-8000-000000000000';

async function send(channelId: string, content: string): Promise<object> {
  const { rows } = await pool.query({ ...insert, values: [uuid(), channelId, author, content] });
  io.to(channelId).emit('message:new', rows[0]);
  return rows[0];
}

const app = new Koa();
app.use(koaBody());
app.use(async (context) => {
  const channelId = context.path.split('/')[3] ?? '';
  if (context.method === 'POST') {
    const content: unknown = Reflect.get(Object(context.request.body), 'content');
    context.body = await send(channelId, String(content));
  } else {
    context.body = { messages: (await pool.query({ ...page, values: [channelId] })).rows };
  }
});
const httpServer = createServer(app.callback());
const io = new Server(httpServer);
if (process.env.REDIS_URL) {
  io.adapter(createAdapter(new Redis(process.env.REDIS_URL), new Redis(process.env.REDIS_URL)));
}
io.on('connection', (socket) => {
  socket.on('channel:join', async (payload: { channelId: string }, ack: (answer: object) => void) => {
    await socket.join(payload.channelId);
    ack({ ok: true });
  });
  socket.on('message:send', async (payload: { channelId: string; content: string }, ack: (answer: object) => void) => {
    ack({ ok: true, message: await send(payload.channelId, payload.content) });
  });
});
httpServer.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready on\n'));
