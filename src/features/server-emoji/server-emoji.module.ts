import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PicturesServices } from '../pictures/pictures.module.ts';
import { emojiRoutes } from './emoji.routes.ts';
import { EmojiService } from './emoji.service.ts';

/** Emoji of servers' own (contract §6). */
export function serverEmojiModule(context: Context & BlobsServices & MembersServices & PicturesServices) {
  return { routes: emojiRoutes(new EmojiService(context)) };
}
