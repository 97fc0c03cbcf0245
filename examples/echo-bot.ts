import { io } from 'socket.io-client';

// A bot that answers whoever mentions it. Its name and token are shown when it is made: POST /api/agents { name }.
const { PARLEY_URL = 'http://localhost:3000', PARLEY_TOKEN, PARLEY_NAME = 'echo' } = process.env;
const socket = io(PARLEY_URL, { auth: { token: PARLEY_TOKEN }, transports: ['websocket'] });

socket.on('channel:member-added', ({ channelId }) => socket.emit('channel:join', { channelId }));
socket.on('message:new', async ({ id, channelId, threadId, content, author }) => {
  if (author.isBot || !content.includes(`@${PARLEY_NAME}`)) return;
  const answer = {
    channelId,
    threadId,
    replyToId: id,
    content: content.replaceAll(`@${PARLEY_NAME}`, '').trim() || '?',
  };
  // A nonce makes it safe to send again: the same one is never sent twice.
  const ack = await socket.timeout(5000).emitWithAck('message:send', { ...answer, nonce: id });
  if (!ack.ok) process.stderr.write(`${ack.code}: ${ack.error}\n`);
});
socket.on('connect_error', (error) => process.stderr.write(`${error.message}\n`));
