import { createServer } from 'node:http';
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import jwt from 'jsonwebtoken';
import { Server } from 'socket.io';

/**
 * The baseline of fan-out, of connects and of latency over nodes: Socket.IO as it comes, with its Redis adapter where
 * REDIS_URL is set, and its recovery in memory with RECOVERS. It keeps nothing and promises nothing. With JWT_SECRET it
 * lets in those who have a token, and asks nothing else of them.
 */
const httpServer = createServer();
const io = new Server(httpServer, process.env.RECOVERS ? { connectionStateRecovery: {} } : {});
if (process.env.REDIS_URL) {
  io.adapter(createAdapter(new Redis(process.env.REDIS_URL), new Redis(process.env.REDIS_URL)));
}
const { JWT_SECRET: secret } = process.env;
if (secret) {
  io.use((socket, next) => {
    jwt.verify(String(socket.handshake.auth.token), secret, (error) => next(error ?? undefined));
  });
}
io.on('connection', (socket) => {
  socket.on('channel:join', async (payload: { channelId: string }, ack: (answer: object) => void) => {
    await socket.join(payload.channelId);
    ack({ ok: true });
  });
  socket.on('message:send', (payload: { channelId: string }, ack: (answer: object) => void) => {
    io.to(payload.channelId).emit('message:new', payload);
    ack({ ok: true });
  });
});
httpServer.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready on\n'));
process.on('SIGTERM', () => void io.close().then(() => process.exit()));
