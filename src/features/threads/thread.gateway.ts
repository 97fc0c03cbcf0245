import { z } from 'zod';
import type { ThreadAccess } from '../../access/thread.access.ts';
import { logPageSchema } from '../../contract/events.ts';
import { channelRoom, threadRoom } from '../../contract/rooms.ts';
import { idSchema } from '../../contract/schema.ts';
import { threadIdSchema } from '../../contract/thread.ts';
import type { Page } from '../../delivery/catch-up.ts';
import { enter } from '../../gateway/entering.ts';
import { type Handler, handler } from '../../gateway/handler.ts';
import type { Membership } from '../../gateway/membership.ts';
import { pageRecord } from '../events/events.view.ts';

const tag = 'Rooms';

export function threadHandlers(threads: ThreadAccess, membership: Membership): Handler[] {
  return [
    handler({
      event: 'thread:join',
      summary:
        "Enter a thread's room, to get only its events, not those of the rest of the channel. Numbers are those of the channel's log.",
      tag,
      payload: threadIdSchema,
      ack: logPageSchema.extend({ threadId: idSchema, channelId: idSchema }),
      errors: ['THREAD_NOT_FOUND', 'NOT_A_MEMBER'],
      limit: 'joins',
      lane: { by: 'threadId' },
      readOnly: true,
      async handle({ actor, payload: { threadId, after }, socket, respond }) {
        const { channel } = await threads.readable(actor, threadId);
        const room = channelRoom(channel.id);
        const answer = (page: Page) => ({ threadId, channelId: channel.id, ...pageRecord(ofThread(page, threadId)) });
        const entered = (page: Page) => respond(answer(page));
        const wanted = { name: threadRoom(threadId), place: { room, serverId: channel.serverId }, after };
        const page = await enter(membership, socket, wanted, entered, () => threads.readable(actor, threadId));
        return answer(page.hasMore ? page : { ...page, entries: [] });
      },
    }),
    handler({
      event: 'thread:leave',
      summary: "Leave a thread's room.",
      tag,
      payload: threadIdSchema,
      ack: z.object({}),
      limit: 'joins',
      lane: { by: 'threadId' },
      readOnly: true,
      async handle({ payload, socket }) {
        const room = threadRoom(payload.threadId);
        await membership.restores.over(socket, room);
        membership.leave(socket, room);
        return {};
      },
    }),
  ];
}

/** Of the channel's log only the entries of the thread. */
function ofThread(page: Page, threadId: string): Page {
  return { ...page, entries: page.entries.filter((entry) => entry.threadId === threadId) };
}
