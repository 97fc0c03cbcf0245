import { pictureCalls } from '../../contract/picture.ts';
import { contentReply } from '../../rest/content.ts';
import { type Route, receiving, serve } from '../../rest/route.ts';
import type { OutsidePictures } from './outside-pictures.ts';
import type { PictureService } from './picture.service.ts';

export function pictureRoutes(pictures: PictureService, outside: OutsidePictures): Route[] {
  return serve(pictureCalls, {
    uploadPicture: receiving(
      ({ actor, fields, atLeast }, file) => pictures.receive(actor, file, fields.shape, atLeast),
      ({ actor, file, body }) => pictures.add(actor, file, body.shape),
    ),
    getPicture: async ({ params, query, headers }) =>
      contentReply(await pictures.open(params.picture, query.size), headers),
    linkOutsidePictures: async ({ body }) => ({
      links: body.urls.map((url) => ({ url, link: outside.link(url) })),
    }),
    getOutsidePicture: async ({ params, query, headers, ip }) =>
      contentReply(await outside.open(query.url, params.signature, query.size, ip), headers),
  });
}
