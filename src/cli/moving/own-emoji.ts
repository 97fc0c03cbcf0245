import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { picturePathOf } from '../../contract/picture.ts';
import { emojiNameSchema, maxOwnEmoji } from '../../contract/server-emoji.ts';
import { ServerEmoji } from '../../database/entities/emoji.entity.ts';
import { Server } from '../../database/entities/server.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import { insertPicture } from '../../features/pictures/picture.table.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { EncodedPicture } from '../../infrastructure/picture-encoder.ts';
import { TransferError } from '../transfer/failure.ts';
import { stagedOf } from './staging.table.ts';
import type { Work } from './work.ts';

const emojiSchema = z.object({ file: z.string() });

/** A server's own emoji by their names. */
export type OwnEmoji = ReadonlyMap<string, string>;

/** Adds the emoji of an export to those of the server, whose own keep their names. @returns all of them, with their ids */
export async function writeEmoji(work: Work): Promise<OwnEmoji> {
  const { serverId, database } = work;
  const known = await database.read(async (em) => em.find(ServerEmoji, { serverId }));
  const byName = new Map(known.map(({ name, id }) => [name, id]));
  for await (const page of stagedOf(database.rows, work.id, 'emoji')) {
    for (const { key, data } of page) {
      if (byName.has(key)) continue;
      const id = await addEmoji(work, key, emojiSchema.parse(data).file, byName.size);
      if (id) byName.set(key, id);
    }
  }
  return byName;
}

async function addEmoji(work: Work, name: string, file: string, others: number): Promise<string | null> {
  const { report, services } = work;
  if (!emojiNameSchema.safeParse(name).success) {
    report.problem('an own emoji has the name of one that everyone has', name);
    return null;
  }
  if (others >= maxOwnEmoji) {
    report.problem(`an own emoji was left out: a server has at most ${maxOwnEmoji}`, name);
    return null;
  }
  try {
    const bytes = await buffer(Readable.from(limited(work.archive.read(file), work.settings.limits.pictureBytes)));
    return await insert(work, name, await services.pictureWork.encoder.encode(bytes, 'emoji'));
  } catch (error) {
    if (!(error instanceof AppError || error instanceof TransferError)) throw error;
    report.problem('the picture of an emoji cannot be used', `${name}: ${error.message}`);
    return null;
  }
}

async function* limited(bytes: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > most) throw new TransferError(`it has more than ${most} bytes`);
    yield piece;
  }
}

function insert(work: Work, emojiName: string, { large, small, isAnimated }: EncodedPicture): Promise<string> {
  const { serverId, services } = work;
  const name = randomBytes(16).toString('hex');
  return work.changes.run(async (change) => {
    const server = await change.em.findOne(Server, serverId, forUpdate);
    if (!server) throw new AppError('SERVER_NOT_FOUND');
    const { ownerId } = server;
    const rows = [];
    for (const [size, { bytes, width, height }] of [['large', large] as const, ['small', small] as const]) {
      const blob = await services.blobs.put(bytes);
      const moves = isAnimated && size === 'large';
      rows.push({
        name,
        size,
        uploaderId: ownerId,
        blobId: blob.id,
        bytes: blob.size,
        width,
        height,
        isAnimated: moves,
      });
    }
    await insertPicture(change.rows, rows);
    const id = newId();
    const made = { id, serverId, name: emojiName, url: picturePathOf(name), isAnimated, createdBy: null };
    change.em.create(ServerEmoji, { ...made, createdAt: dateNow() });
    server.emojiVersion++;
    await change.em.flush();
    await services.audience.publish(change, { serverId, channelId: null });
    return id;
  });
}
