import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import type { PicturesServices } from '../pictures/pictures.module.ts';
import { mediaRoutes } from './media.routes.ts';
import { MediaService } from './media.service.ts';
import { Uploads } from './media.uploads.ts';
import { thumbnailWork } from './thumbnail.work.ts';

export type MediaServices = ReturnType<typeof mediaModule>['services'];

/** Files of messages (contract §6). */
export function mediaModule(context: Context & BlobsServices & FiltersServices & MessagesServices & PicturesServices) {
  const maxBytes = context.settings.limits.attachmentBytes;
  const { encoder } = context.pictureWork;
  const media = new MediaService({ ...context, maxBytes });
  return {
    services: { media },
    routes: mediaRoutes(media, new Uploads({ ...context, media, maxBytes })),
    jobs: [thumbnailWork({ ...context, encoder })],
  } satisfies Module;
}
