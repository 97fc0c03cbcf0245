import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Chore } from '../../cluster/chores.ts';
import type { Actor } from '../../contract/actor.ts';
import { type AttachmentRecord, maxAttachments, type mediaUrlSchema } from '../../contract/attachment.ts';
import { AppError, missingAs } from '../../contract/errors.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { isBlank, withoutDirections } from '../../contract/unicode/visible.ts';
import type { Rows } from '../../database/database.ts';
import { Attachment } from '../../database/entities/message.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { IncomingFile } from '../../infrastructure/incoming-file.ts';
import { withCharset } from '../../infrastructure/media-types.ts';
import {
  contentDisposition,
  mayShowInline,
  type ServedContent,
  uploadHeaders,
} from '../../infrastructure/served-content.ts';
import { flagKind } from '../../jobs/flag.jobs.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import { type BlobStore, fileTooLarge, type StoredBlob } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import type { Filters } from '../filters/filters.ts';
import {
  countUnsent,
  deleteUnsent,
  findAttachment,
  forgetUploads,
  hideUpload,
  mayStillRead,
  type StoredAttachment,
  takeUploads,
  uploadsOf,
} from '../messages/attachment.table.ts';
import { isGivenTo } from '../messages/command-file.table.ts';
import { holdMessage } from '../messages/edit.table.ts';
import type { Holding } from '../messages/holding.ts';
import type { FoundMessage, MessageAccess } from '../messages/message.access.ts';
import { flagOf } from '../messages/message.composer.ts';
import { markExtended } from '../messages/message.edit.ts';
import { attachmentRecord, mediaPath } from '../messages/message.view.ts';
import { pictureContent } from '../pictures/picture.service.ts';
import { type ContentInfo, contentInfo, factsOf, type ToldOfFile } from './media.facts.ts';
import { needsThumbnail, thumbnailKind } from './thumbnail.work.ts';

/** A file whose bytes are stored; it has no record yet. */
export interface ReceivedFile extends ContentInfo {
  blob: StoredBlob;
  filename: string;
}

/** Shown inline, or saved. */
type Disposition = 'inline' | 'attachment';

/** The file, or the smaller form of a picture. */
interface Wish {
  disposition: Disposition;
  size?: 'thumbnail' | undefined;
}

const headBytes = 256 * 1024;
/** Unsent uploads of one user. */
const maxUnsent = 100;

interface Deps extends Pick<Context, 'database' | 'changes' | 'chores' | 'jobs' | 'links'> {
  blobs: BlobStore;
  allowance: StorageAllowance;
  filters: Filters;
  holding: Holding;
  messageAccess: MessageAccess;
  maxBytes: number;
}

/** Files of messages: received, kept until they are sent, and served to those who may read the message (contract §6). */
export class MediaService {
  private readonly deps: Deps;
  /** User → number of files being received here. */
  private readonly arriving = new Map<string, number>();

  constructor(deps: Deps) {
    this.deps = deps;
    deps.chores.add(forgetUnsent);
  }

  /**
   * Receives the bytes of a file.
   * @param atLeast how many there are, as far as that is known beforehand
   * @param serverId where it is to be sent, if that is known
   * @throws AppError BODY_TOO_LARGE, UPLOAD_LIMIT, QUOTA_EXCEEDED
   */
  async receive(
    actor: Actor,
    file: IncomingFile,
    atLeast: number,
    serverId: string | null = null,
  ): Promise<ReceivedFile> {
    // Those being received count too: otherwise many at once would all be stored before the first is refused.
    const arriving = (this.arriving.get(actor.userId) ?? 0) + 1;
    this.arriving.set(actor.userId, arriving);
    try {
      await requireRoom(this.deps.database.rows, actor, arriving);
      const head = new Head();
      if (atLeast > this.deps.maxBytes) throw fileTooLarge(this.deps.maxBytes);
      const admitted = this.deps.allowance.admitted({ userId: actor.userId, serverId }, file.bytes, atLeast);
      const blob = await this.deps.blobs.write(head.watch(admitted), this.deps.maxBytes);
      return { blob, filename: safeFilename(file.name), ...(await contentInfo(head.bytes)) };
    } finally {
      this.arrived(actor.userId);
    }
  }

  private arrived(userId: string): void {
    const left = (this.arriving.get(userId) ?? 0) - 1;
    if (left > 0) this.arriving.set(userId, left);
    else this.arriving.delete(userId);
  }

  /**
   * Creates an upload from a received file.
   * @param told with it: what it is, and one of the actor's messages to attach it to at once
   * @param parts uploads of the actor that it takes the place of
   * @throws AppError VALIDATION_FAILED for a voice message that is none, MESSAGE_NOT_FOUND, FORBIDDEN, ROLE_REQUIRED, ATTACHMENT_INVALID when the message has too many,
   *   MESSAGE_REFUSED for a name that filters refuse or would hold
   */
  async add(actor: Actor, file: ReceivedFile, told: ToldOfFile, parts: string[] = []): Promise<AttachmentRecord> {
    const { messageId, isSpoiler } = told;
    const target = messageId === undefined ? null : await this.deps.messageAccess.extendable(actor, messageId);
    const verdict = target && (await this.deps.filters.require(actor, target.channel, [file.filename]));
    const storing = { userId: actor.userId, serverId: target?.channel.serverId ?? null, bytes: file.blob.size };
    return this.deps.changes.run(async (change) => {
      // Concurrent uploads count those before them; quotas are locked before the log of a channel.
      if (!target) await lockUser(change.rows, actor.userId);
      else await this.deps.allowance.hold(change.rows, [actor.userId], storing.serverId ? [storing.serverId] : []);
      const place = target ? await placeIn(change, target) : 0;
      const taken = parts.length === 0 ? 0 : await takeUploads(change.rows, actor.userId, parts);
      if (taken < parts.length) throw new AppError('ATTACHMENT_NOT_FOUND');
      const { blob, filename } = file;
      const known = { id: newId(), filename, size: blob.size, ...factsOf(file, told), isSpoiler };
      const owned = { uploaderId: actor.userId, messageId: target?.row.id ?? null, place, blobId: blob.id };
      change.em.create(Attachment, { ...known, ...owned });
      await change.em.flush();
      if (needsThumbnail(known)) await this.deps.jobs.add(change, thumbnailKind, { blobId: blob.id });
      if (target) {
        const flag = flagOf(target.channel, verdict);
        const { id: messageId, content } = target.row;
        if (flag) await this.deps.jobs.add(change, flagKind, { messageId, content, ...flag });
        await markExtended(change, target.row);
      } else await requireRoom(change.rows, actor, 0);
      await this.deps.allowance.requireWithin(change.rows, storing);
      const { isVoice: voice, ...shown } = known;
      return { ...shown, url: mediaPath(known.id), thumbnailUrl: null, voice };
    });
  }

  /** Forgets uploads of the actor that were not sent, and wait for nothing; the blob collector removes their bytes. */
  async giveUp({ userId }: Actor, ids: string[]): Promise<void> {
    await forgetUploads(this.deps.database.rows, userId, ids);
  }

  /**
   * Says whether an upload that was not sent yet is a spoiler.
   * @throws AppError ATTACHMENT_NOT_FOUND, ATTACHMENT_INVALID once it was sent
   */
  async hide(actor: Actor, id: string, isSpoiler: boolean): Promise<AttachmentRecord> {
    const { rows } = this.deps.database;
    const isHidden = await hideUpload(rows, actor.userId, id, isSpoiler);
    const [row] = await uploadsOf(rows, actor.userId, [id]);
    if (!row) throw new AppError('ATTACHMENT_NOT_FOUND');
    if (!isHidden) throw new AppError('ATTACHMENT_INVALID');
    return attachmentRecord(row);
  }

  /**
   * A file that the actor may read: its own unsent one, one of a message it may read, of a held one it decides on, or of a
   * command that it was given.
   * @throws AppError
   */
  async open(actor: Actor, id: string, wish: Wish): Promise<ServedContent> {
    return this.served(await this.readable(actor, id), wish);
  }

  /**
   * A file for the holder of a signed link, while whoever asked for it may still read its message.
   * @throws AppError LINK_EXPIRED, ATTACHMENT_NOT_FOUND
   */
  async openByLink(id: string, signature: string, wish: Wish): Promise<ServedContent> {
    if (!(await this.deps.links.verify(mediaPath(id), signature))) throw new AppError('LINK_EXPIRED');
    const row = await this.find(id);
    const userId = this.deps.links.userOf(signature);
    if (userId !== undefined && !(await mayStillRead(this.deps.database.rows, id, userId))) {
      throw new AppError('LINK_EXPIRED');
    }
    return this.served(row, wish);
  }

  /** A link that works for 10 minutes without signing in. @throws AppError ATTACHMENT_NOT_FOUND */
  async link(actor: Actor, id: string, kind: Disposition): Promise<z.input<typeof mediaUrlSchema>> {
    await this.readable(actor, id);
    const { token, expiresAt } = this.deps.links.sign(mediaPath(id), actor.userId);
    const query = new URLSearchParams({ signature: token, disposition: kind });
    return { url: `${mediaPath(id)}?${query}`, expiresAt: expiresAt.toISOString() };
  }

  private async readable(actor: Actor, id: string): Promise<StoredAttachment> {
    const row = await this.find(id);
    if (row.message_id === null) {
      if (row.uploader_id === actor.userId) return row;
      if (actor.user.isBot && (await isGivenTo(this.deps.database.rows, id, actor.userId))) return row;
      if (row.held_id && (await this.deps.holding.isDecidedBy(actor, row.held_id))) return row;
      throw new AppError('ATTACHMENT_NOT_FOUND');
    }
    await this.deps.messageAccess.readable(actor, row.message_id).catch(missingAs('ATTACHMENT_NOT_FOUND'));
    return row;
  }

  private async find(id: string): Promise<StoredAttachment> {
    const row = await findAttachment(this.deps.database.rows, id);
    if (!row) throw new AppError('ATTACHMENT_NOT_FOUND');
    return row;
  }

  private async served(row: StoredAttachment, { disposition, size }: Wish): Promise<ServedContent> {
    if (size === 'thumbnail') return this.thumbnail(row);
    const kind = mayShowInline(row.content_type) ? disposition : 'attachment';
    const headers = {
      ...uploadHeaders,
      'Content-Type': withCharset(row.content_type),
      'Content-Disposition': contentDisposition(kind, row.filename),
      'Cache-Control': 'private, max-age=3600',
    };
    return this.deps.blobs.served({ id: row.blob_id, size: row.size }, headers);
  }

  /** @throws AppError ATTACHMENT_NOT_FOUND where there is none */
  private async thumbnail({ id, thumbnail_blob_id: blobId }: StoredAttachment): Promise<ServedContent> {
    const bytes = blobId === null ? undefined : (await this.deps.blobs.readSmall([blobId])).get(blobId);
    if (!bytes) throw new AppError('ATTACHMENT_NOT_FOUND');
    // Its bytes never change: another one of the same file would be the same picture.
    return pictureContent(bytes, `${id}-thumbnail`, 'private, max-age=31536000, immutable');
  }
}

/** @param more files, besides the unsent ones */
async function requireRoom(rows: Rows, { userId }: Actor, more: number): Promise<void> {
  if ((await countUnsent(rows, userId)) + more > maxUnsent) throw new AppError('UPLOAD_LIMIT');
}

/** Keeps the first bytes that pass, to detect the type. */
export class Head {
  private pieces: Uint8Array[] = [];
  private size = 0;

  async *watch(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      if (this.size < headBytes) this.pieces.push(Uint8Array.from(piece.subarray(0, headBytes - this.size)));
      this.size += piece.length;
      yield piece;
    }
  }

  get bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }
}

/** The position of another file in a message, which is locked until the commit. */
async function placeIn(change: Change, { row, channel }: FoundMessage): Promise<number> {
  await change.lockOpen(channelRoom(channel.id));
  await holdMessage(change.rows, row.channel_id, row.id);
  const attached = await change.em.find(Attachment, { messageId: row.id }, { fields: ['place'] });
  if (attached.length >= maxAttachments) {
    throw new AppError('ATTACHMENT_INVALID', { message: `A message carries at most ${maxAttachments} files.` });
  }
  return Math.max(0, ...attached.map(({ place }) => place + 1));
}

/** Uploads that are not sent within a day are deleted (contract §13); the blob collector removes their bytes. */
const forgetUnsent: Chore = {
  name: 'forget unsent uploads',
  step: deleteUnsent,
};

/** A name without folders and control characters, not too long, and never empty. */
export function safeFilename(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).toWellFormed();
  const clean = withoutDirections(base)
    .replace(/\p{Cc}/gu, '')
    .trim();
  const short = clean.slice(0, 255).toWellFormed();
  return isBlank(short) ? 'file' : short;
}
