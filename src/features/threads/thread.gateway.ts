import type { ThreadAccess } from '../../access/thread.access.ts';
import { channelRoom, threadRoom } from '../../contract/rooms.ts';
import { threadClientEvents } from '../../contract/thread.ts';
import type { Page } from '../../delivery/catch-up.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { Subscriptions } from '../../gateway/subscriptions.ts';
import { pageRecord } from '../events/events.view.ts';

export function threadHandlers(threads: ThreadAccess, subscriptions: Subscriptions): Handler[] {
  return handlers(threadClientEvents, {
    async 'thread:join'({ actor, payload: { threadId, after }, socket, respond }) {
      const { channel } = await threads.readable(actor, threadId);
      const room = channelRoom(channel.id);
      const answer = (page: Page) => ({ threadId, channelId: channel.id, ...pageRecord(ofThread(page, threadId)) });
      const entered = (page: Page) => respond(answer(page));
      const wanted = { name: threadRoom(threadId), place: { room, serverId: channel.serverId }, after };
      const page = await subscriptions.join(socket, wanted, entered, () => threads.readable(actor, threadId));
      return answer(page.hasMore ? page : { ...page, entries: [] });
    },
    async 'thread:leave'({ payload, socket }) {
      await subscriptions.leave(socket, threadRoom(payload.threadId));
      return {};
    },
  });
}

/** Of the channel's log only the entries of the thread. */
function ofThread(page: Page, threadId: string): Page {
  return { ...page, entries: page.entries.filter((entry) => entry.threadId === threadId) };
}
