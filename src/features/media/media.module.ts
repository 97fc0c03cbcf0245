import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import { mediaRoutes } from './media.routes.ts';
import { MediaService } from './media.service.ts';

/** Files of messages (contract §6). */
export function mediaModule(context: Context & BlobsServices & FiltersServices & MessagesServices) {
  const maxBytes = context.settings.limits.attachmentBytes;
  return { routes: mediaRoutes(new MediaService({ ...context, maxBytes })) };
}
