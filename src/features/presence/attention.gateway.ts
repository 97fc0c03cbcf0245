import { presenceActiveEvents } from '../../contract/presence.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { ParleySocket } from '../../gateway/socket.ts';
import type { Attention, Device } from './attention.ts';

/** As they came: a connection may go over to another session of its user. */
const devices = new WeakMap<ParleySocket, Device>();

/** Feeds it with the connections of this node: they have said nothing until they do (contract §9, Attention). */
export function connectAttention(gateway: Pick<Gateway, 'onConnection'>, attention: Attention): void {
  gateway.onConnection((socket) => {
    deviceOf(socket, attention);
  });
}

export function attentionHandlers(attention: Attention): Handler[] {
  return handlers(presenceActiveEvents, {
    async 'presence:active'({ payload, socket }) {
      const device = socket.connected && deviceOf(socket, attention);
      if (device) await attention.note(device, payload.active ? 'looking' : 'away');
      return {};
    },
  });
}

/** @returns null for programs and bots, which are no devices */
function deviceOf(socket: ParleySocket, attention: Attention): Device | null {
  const { userId, sessionId } = socket.data.actor;
  if (sessionId === null) return null;
  const known = devices.get(socket);
  if (known) return known;
  const device = { socketId: socket.id, userId, sessionId };
  devices.set(socket, device);
  socket.once('disconnect', () => void attention.note(device, 'gone'));
  // No connection waits for Redis.
  void attention.note(device, 'silent');
  return device;
}
