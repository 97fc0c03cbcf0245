import { draftCalls } from '../../contract/draft.ts';
import { laterCalls } from '../../contract/later.ts';
import { scheduledCalls } from '../../contract/scheduled.ts';
import { done } from '../../contract/schema.ts';
import { pageReply, Reply, type Route, serve } from '../../rest/route.ts';
import type { DraftService } from './draft.service.ts';
import type { SavedService } from './saved.service.ts';
import type { ScheduledService } from './scheduled.service.ts';

export function savedRoutes(saved: SavedService): Route[] {
  return serve(laterCalls, {
    listLater: async ({ actor, query }) => pageReply(await saved.list(actor, query)),
    listSavedIn: ({ actor, params }) => saved.inChannel(actor, params.channelId),
    getLater: ({ actor, params }) => saved.get(actor, params.id),
    async saveForLater({ actor, body }) {
      const { entry, isNew } = await saved.save(actor, body);
      return isNew ? entry : new Reply(entry, { status: 200 });
    },
    changeLater: ({ actor, params, body }) => saved.change(actor, params.id, body),
    async removeLater({ actor, params }) {
      await saved.remove(actor, params.id);
      return done;
    },
  });
}

export function scheduledRoutes(scheduled: ScheduledService): Route[] {
  return serve(scheduledCalls, {
    listScheduled: async ({ actor, query }) => pageReply(await scheduled.list(actor, query)),
    getScheduled: ({ actor, params }) => scheduled.get(actor, params.id),
    scheduleMessage: ({ actor, params, body }) => scheduled.schedule(actor, params.channelId, body),
    editScheduled: ({ actor, params, body }) => scheduled.edit(actor, params.id, body),
    sendScheduled: ({ actor, params }) => scheduled.sendNow(actor, params.id),
    async cancelScheduled({ actor, params }) {
      await scheduled.cancel(actor, params.id);
      return done;
    },
  });
}

export function draftRoutes(drafts: DraftService): Route[] {
  return serve(draftCalls, {
    listDrafts: ({ actor }) => drafts.list(actor),
    getDraft: ({ actor, params, query }) =>
      drafts.get(actor, { channelId: params.channelId, threadId: query.threadId ?? null }),
    putDraft: ({ actor, params, body }) => drafts.put(actor, params.channelId, body),
    endDraft: ({ actor, params, query }) =>
      drafts.end(actor, { channelId: params.channelId, threadId: query.threadId ?? null }, query.revision),
  });
}
