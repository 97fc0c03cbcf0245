import { mediaCalls } from '../../contract/attachment.ts';
import { AppError } from '../../contract/errors.ts';
import { done } from '../../contract/schema.ts';
import { contentReply } from '../../rest/content.ts';
import { type Route, receiving, serve } from '../../rest/route.ts';
import type { MediaService } from './media.service.ts';
import type { Uploads } from './media.uploads.ts';

export function mediaRoutes(media: MediaService, uploads: Uploads): Route[] {
  return serve(mediaCalls, {
    uploadMedia: receiving(
      ({ actor, atLeast }, file) => media.receive(actor, file, atLeast),
      async ({ actor, file, body }) => {
        const record = await media.add(actor, file, body);
        return { ...record, key: record.id };
      },
    ),
    async joinUploads({ actor, body }) {
      const record = await uploads.join(actor, body);
      return { ...record, key: record.id };
    },
    async getMedia({ actor, params, query, headers }) {
      const wish = { disposition: query.disposition ?? 'inline', size: query.size } as const;
      if (query.signature !== undefined) {
        return contentReply(await media.openByLink(params.id, query.signature, wish), headers);
      }
      if (!actor) throw new AppError('AUTH_TOKEN_MISSING');
      return contentReply(await media.open(actor, params.id, wish), headers);
    },
    changeAttachment: ({ actor, params, body }) => media.hide(actor, params.id, body.isSpoiler),
    async forgetUpload({ actor, params }) {
      await uploads.forget(actor, params.id);
      return done;
    },
    getMediaLink: ({ actor, params, query }) => media.link(actor, params.id, query.disposition ?? 'inline'),
  });
}
