import { mediaCalls } from '../../contract/attachment.ts';
import { AppError } from '../../contract/errors.ts';
import { contentReply } from '../../rest/content.ts';
import { type Route, receiving, serve } from '../../rest/route.ts';
import type { MediaService } from './media.service.ts';

export function mediaRoutes(media: MediaService): Route[] {
  return serve(mediaCalls, {
    uploadMedia: receiving(
      ({ actor, atLeast }, file) => media.receive(actor, file, atLeast),
      async ({ actor, file, body }) => {
        const record = await media.add(actor, file, body);
        return { ...record, key: record.id };
      },
    ),
    async getMedia({ actor, params, query, headers }) {
      const wish = { disposition: query.disposition ?? 'inline', size: query.size } as const;
      if (query.signature !== undefined) {
        return contentReply(await media.openByLink(params.id, query.signature, wish), headers);
      }
      if (!actor) throw new AppError('AUTH_TOKEN_MISSING');
      return contentReply(await media.open(actor, params.id, wish), headers);
    },
    changeAttachment: ({ actor, params, body }) => media.hide(actor, params.id, body.isSpoiler),
    getMediaLink: ({ actor, params, query }) => media.link(actor, params.id, query.disposition ?? 'inline'),
  });
}
