import { presenceActiveEvents } from '../../contract/presence.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { ParleySocket } from '../../gateway/socket.ts';
import type { Attention } from './attention.ts';

/** Feeds it with the connections of this node. Until one says otherwise someone looks at its device (contract §9). */
export function connectAttention(gateway: Pick<Gateway, 'onConnection'>, attention: Attention): void {
  gateway.onConnection((socket) => {
    socket.once('disconnect', () => void note(attention, socket, false));
    // No connection waits for Redis.
    void note(attention, socket, socket.connected);
  });
}

export function attentionHandlers(attention: Attention): Handler[] {
  return handlers(presenceActiveEvents, {
    async 'presence:active'({ payload, socket }) {
      await note(attention, socket, payload.active && socket.connected);
      return {};
    },
  });
}

/** Programs are no devices, and bots have none. */
async function note(attention: Attention, socket: ParleySocket, isActive: boolean): Promise<void> {
  const { userId, sessionId } = socket.data.actor;
  if (sessionId) await attention.set({ socketId: socket.id, userId, sessionId }, isActive);
}
