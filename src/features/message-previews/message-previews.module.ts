import { messagePreviewCalls } from '../../contract/message-preview.ts';
import { serve } from '../../rest/route.ts';
import type { Context } from '../context.ts';
import { MessagePreviewService } from './message-preview.service.ts';

/** Previews of messages that are linked to, or were forwarded (contract §6). */
export function messagePreviewsModule(context: Context) {
  const previews = new MessagePreviewService(context);
  return {
    routes: serve(messagePreviewCalls, {
      previewMessages: async ({ actor, query }) => ({ messages: await previews.of(actor, query.ids) }),
    }),
  };
}
