import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { io } from 'socket.io-client';
import { startProxy } from '../rig/tcp-proxy.ts';
import type { Loose } from '../world/person.ts';
import { contentOf } from './ledger.ts';
import { returningReceiver } from './receivers.ts';
import { request } from './senders.ts';
import type { Site } from './site.ts';
import type { Trial } from './trial.ts';

/** How much a node may grow because of consumers that do not read, in MiB. */
const growthMiB = 250;

/** Consumers that stop reading: they must be cut off before they fill the memory, and miss nothing in the end. */
export async function beSlow(site: Site, ms: number, trial: Trial): Promise<void> {
  const node = site.nodes[0];
  if (!node) return;
  const wire = await startProxy(node.port);
  const { channelIds, listeners, ledger } = trial;
  const { id: userId = '', token = '' } = listeners[0] ?? {};
  const seat = { url: `http://127.0.0.1:${wire.port}`, userId, token, channelIds };
  for (let i = 0; i < 5; i++) trial.receivers.push(await returningReceiver(seat, 'after', ledger));
  const before = node.memory;
  wire.hold();
  let most = before;
  for (const end = Date.now() + ms; Date.now() < end; await delay(100)) most = Math.max(most, node.memory);
  wire.release();
  wire.cut();
  if (most - before > growthMiB) ledger.broken.push(`slow consumers made a node grow from ${before} to ${most} MiB`);
}

/** The same message at the same moment by two ways to two nodes: it is there once, and all answers are alike. */
export async function sendTwice(site: Site, ms: number, trial: Trial): Promise<void> {
  const [first, second = first] = site.nodes;
  const person = trial.speakers[0];
  if (!first || !second || !person) return;
  const socket = io(second.url, { transports: ['websocket'], forceNew: true, auth: { token: person.token } });
  let count = 0;
  for (const end = Date.now() + ms; Date.now() < end; count++) {
    const key = `twin-${count}`;
    const sentAt = Date.now();
    const content = contentOf(key, sentAt);
    const channelId = trial.channelIds[count % trial.channelIds.length] ?? '';
    trial.ledger.sent++;
    const byRest = (url: string): Promise<Loose> =>
      request({ url, token: person.token }, 'POST', `/api/channels/${channelId}/messages`, {
        content,
        nonce: key,
      }).then(({ answer }) => answer);
    const bySocket: Promise<Loose> = socket
      .timeout(5000)
      .emitWithAck('message:send', { channelId, content, nonce: key })
      .then((ack) => ack.message);
    const answers = await Promise.all([byRest(first.url), byRest(second.url), bySocket]);
    for (const message of answers) trial.ledger.acknowledged(key, message, sentAt);
    const alike = answers.every((answer) => isDeepStrictEqual(answer, answers[0]));
    if (!alike) trial.ledger.broken.push(`the answers to ${key} differ: ${JSON.stringify(answers)}`);
  }
  socket.disconnect();
}
