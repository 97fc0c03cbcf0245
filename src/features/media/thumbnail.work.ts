import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { idSchema } from '../../contract/schema.ts';
import type { EncodedPicture, PictureEncoder } from '../../infrastructure/picture-encoder.ts';
import { type JobKind, type OutsideWork, outsideWork } from '../../jobs/job.kind.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import { filesWithoutThumbnail, keepThumbnail } from '../messages/attachment.table.ts';
import { publishUpdated } from '../messages/message.edit.ts';
import { findMessage } from '../messages/message.table.ts';

/** Makes the smaller form of an uploaded picture, for all files of these bytes: it may have been forwarded by then. */
export const thumbnailKind: JobKind<{ blobId: string }> = {
  name: 'attachment-thumbnail',
  schema: z.object({ blobId: idSchema }),
};

const formats = new Set(['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif', 'image/avif']);
/** It is held in memory once, in the node and in the process that decodes it. */
const maxBytes = 25 * 1024 * 1024;
/** How many files one change gives their thumbnail: it locks the logs of all channels that they are in. */
const filesAtOnce = 20;
/** A picture with neither more pixels nor more bytes is its own thumbnail. */
const small = { pixels: 800, bytes: 128 * 1024 };

/** Whether a file is a picture that is worth a smaller form. */
export function needsThumbnail({
  contentType,
  size,
  width,
  height,
}: {
  contentType: string;
  size: number;
  width: number | null;
  height: number | null;
}): boolean {
  if (!formats.has(contentType) || size > maxBytes) return false;
  return (width ?? Infinity) > small.pixels || (height ?? Infinity) > small.pixels || size > small.bytes;
}

/** One at a time, beside the pictures of people: the decoder takes one after the other, and is busy with all that wait. */
const options = {
  retries: { attempts: 8, firstMs: 2000, longestMs: 300_000 },
  concurrency: 1,
  limitMs: 10 * 60_000,
  leaseMs: 30_000,
};

interface Deps extends Pick<Context, 'changes'> {
  blobs: BlobStore;
  encoder: PictureEncoder;
}

/** Makes thumbnails, after the uploads: in a process of its own, so that no node waits for it (contract §6). */
export function thumbnailWork(deps: Deps): OutsideWork {
  return outsideWork(
    thumbnailKind,
    async (change, { data: { blobId } }) => {
      const [file] = await filesWithoutThumbnail(change.rows, blobId, 1);
      if (!file || !needsThumbnail({ ...file, contentType: file.content_type })) return null;
      return (over) => make(deps, blobId, over);
    },
    options,
  );
}

async function make(deps: Deps, blobId: string, over: AbortSignal): Promise<void> {
  const picture = await encoded(deps, blobId);
  if (!picture) return;
  do over.throwIfAborted();
  while (await keep(deps, blobId, picture));
}

/** @returns undefined: it cannot be decoded, and is shown as it is */
async function encoded({ blobs, encoder }: Deps, blobId: string): Promise<EncodedPicture | undefined> {
  try {
    return await encoder.encode(await buffer(blobs.read(blobId)), 'thumbnail');
  } catch (error) {
    if (error instanceof AppError && error.code === 'PICTURE_INVALID') return undefined;
    throw error;
  }
}

/** A file was sent in the moment in which its thumbnail came: the message has to be told of it. */
class Sent extends Error {}

/**
 * Gives some files of the picture their thumbnail, and tells of the messages that they are in. The logs of their channels are
 * locked before the files, as where messages are deleted.
 * @returns whether there may be more of them: a copy that was made at the same time is found the next time
 */
async function keep({ changes, blobs }: Deps, pictureId: string, picture: EncodedPicture): Promise<boolean> {
  const { large, original } = picture;
  try {
    return await changes.run(async (change) => {
      const files = await filesWithoutThumbnail(change.rows, pictureId, filesAtOnce);
      if (files.length === 0) return false;
      // Nobody waits for the store to write in these channels.
      const { id: blobId } = await blobs.put(large.bytes);
      const channels = new Set(files.flatMap(({ channelId }) => channelId ?? []));
      await change.lock(...[...channels].map(channelRoom));
      const places = new Map(files.map(({ id, messageId }) => [id, messageId]));
      const kept = await keepThumbnail(change.rows, [...places.keys()], { blobId, ...original });
      if (kept.some(({ id, messageId }) => places.get(id) !== messageId)) throw new Sent();
      for (const messageId of new Set(kept.flatMap((file) => file.messageId ?? []))) {
        // Deleted ones, alone or with their thread, are told of no more.
        const message = await findMessage(change.rows, messageId);
        if (message) await publishUpdated(change, message.channel_id, message.id);
      }
      return true;
    });
  } catch (error) {
    if (error instanceof Sent) return true;
    throw error;
  }
}
