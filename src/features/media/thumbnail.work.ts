import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { idSchema } from '../../contract/schema.ts';
import type { EncodedPicture, PictureEncoder } from '../../infrastructure/picture-encoder.ts';
import { type JobKind, type OutsideWork, outsideWork } from '../../jobs/job.kind.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import { findAttachment, keepThumbnail, type StoredAttachment } from '../messages/attachment.table.ts';
import { publishUpdated } from '../messages/message.edit.ts';
import { findMessage } from '../messages/message.table.ts';

/** Makes the smaller form of an uploaded picture. */
export const thumbnailKind: JobKind<{ attachmentId: string }> = {
  name: 'attachment-thumbnail',
  schema: z.object({ attachmentId: idSchema }),
};

const formats = new Set(['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif', 'image/avif']);
/** It is held in memory once, in the node and in the process that decodes it. */
const maxBytes = 25 * 1024 * 1024;
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
    async (change, { data }) => {
      const file = await findAttachment(change.rows, data.attachmentId);
      if (!file || file.thumbnail_blob_id !== null) return null;
      if (!needsThumbnail({ ...file, contentType: file.content_type })) return null;
      return (over) => make(deps, file, over);
    },
    options,
  );
}

async function make(deps: Deps, file: StoredAttachment, over: AbortSignal): Promise<void> {
  const picture = await encoded(deps, file);
  over.throwIfAborted();
  while (picture && !(await keep(deps, file.id, picture)));
}

/** @returns undefined: it cannot be decoded, and is shown as it is */
async function encoded({ blobs, encoder }: Deps, file: StoredAttachment): Promise<EncodedPicture | undefined> {
  try {
    return await encoder.encode(await buffer(blobs.read(file.blob_id)), 'thumbnail');
  } catch (error) {
    if (error instanceof AppError && error.code === 'PICTURE_INVALID') return undefined;
    throw error;
  }
}

/** It was sent in the moment in which its thumbnail came: the message has to be told of it. */
class Sent extends Error {}

/**
 * Stores a thumbnail, and tells of the message that it is in. The log of its channel is locked before the file, as where
 * messages are deleted.
 * @returns whether that is done; else it is to be tried again
 */
async function keep({ changes, blobs }: Deps, id: string, { large, original }: EncodedPicture): Promise<boolean> {
  try {
    await changes.run(async (change) => {
      const messageId = (await findAttachment(change.rows, id))?.message_id;
      const message = messageId ? await findMessage(change.rows, messageId) : undefined;
      if (message) await change.lock(channelRoom(message.channel_id));
      const blob = await blobs.put(large.bytes);
      const kept = await keepThumbnail(change.rows, { id, blobId: blob.id, ...original });
      if (kept && kept.messageId !== (messageId ?? null)) throw new Sent();
      if (kept && message) await publishUpdated(change, message.channel_id, message.id);
    });
    return true;
  } catch (error) {
    if (error instanceof Sent) return false;
    throw error;
  }
}
