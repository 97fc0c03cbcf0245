import { PictureEncoder } from '../../infrastructure/picture-encoder.ts';
import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import { OutsidePictures } from './outside-pictures.ts';
import { PictureService } from './picture.service.ts';
import { pictureRoutes } from './pictures.routes.ts';

export type PicturesServices = ReturnType<typeof picturesModule>['services'];

/** Pictures of people, bots and servers, and those at outside addresses (contract §6). */
export function picturesModule(context: Context & BlobsServices) {
  const { settings, log } = context;
  const encoder = new PictureEncoder(settings.pictures, log);
  const pictures = new PictureService({ ...context, encoder });
  const outside = new OutsidePictures({ ...context, encoder });
  return {
    services: { pictures, pictureWork: { encoder, outside: outside.counters } },
    routes: pictureRoutes(pictures, outside),
    async close() {
      outside.close();
      await encoder.close();
    },
  } satisfies Module;
}
