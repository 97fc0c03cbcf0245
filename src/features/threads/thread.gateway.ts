import type { ThreadAccess } from '../../access/thread.access.ts';
import { channelRoom, threadRoom } from '../../contract/rooms.ts';
import { threadClientEvents } from '../../contract/thread.ts';
import type { Page } from '../../delivery/catch-up.ts';
import { enter } from '../../gateway/entering.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { Membership } from '../../gateway/membership.ts';
import { pageRecord } from '../events/events.view.ts';

export function threadHandlers(threads: ThreadAccess, membership: Membership): Handler[] {
  return handlers(threadClientEvents, {
    async 'thread:join'({ actor, payload: { threadId, after }, socket, respond }) {
      const { channel } = await threads.readable(actor, threadId);
      const room = channelRoom(channel.id);
      const answer = (page: Page) => ({ threadId, channelId: channel.id, ...pageRecord(ofThread(page, threadId)) });
      const entered = (page: Page) => respond(answer(page));
      const wanted = { name: threadRoom(threadId), place: { room, serverId: channel.serverId }, after };
      const page = await enter(membership, socket, wanted, entered, () => threads.readable(actor, threadId));
      return answer(page.hasMore ? page : { ...page, entries: [] });
    },
    async 'thread:leave'({ payload, socket }) {
      const room = threadRoom(payload.threadId);
      await membership.restores.over(socket, room);
      membership.leave(socket, room);
      return {};
    },
  });
}

/** Of the channel's log only the entries of the thread. */
function ofThread(page: Page, threadId: string): Page {
  return { ...page, entries: page.entries.filter((entry) => entry.threadId === threadId) };
}
