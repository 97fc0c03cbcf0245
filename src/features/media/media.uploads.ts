import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { AttachmentRecord, joinUploadsSchema } from '../../contract/attachment.ts';
import { AppError } from '../../contract/errors.ts';
import { type BlobStore, fileTooLarge } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import { type StoredAttachment, takeUploads, uploadsOf } from '../messages/attachment.table.ts';
import { contentInfo } from './media.facts.ts';
import { Head, type MediaService, safeFilename } from './media.service.ts';

interface Deps extends Pick<Context, 'database'> {
  blobs: BlobStore;
  media: MediaService;
  maxBytes: number;
}

/** Uploads before they are sent: files that come in parts, each of which can be sent again, and those not wanted any more. */
export class Uploads {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Makes one upload of its parts, which are none any more then. The bytes count once: in the change the parts go.
   * @throws AppError ATTACHMENT_NOT_FOUND for a part that is no unsent upload of the actor, BODY_TOO_LARGE, QUOTA_EXCEEDED,
   *   UPLOAD_LIMIT, VALIDATION_FAILED for a voice message that is none
   */
  async join(actor: Actor, input: z.output<typeof joinUploadsSchema>): Promise<AttachmentRecord> {
    const { parts, filename, ...told } = input;
    const { blobs, media, maxBytes } = this.deps;
    const rows = await this.partsOf(actor, parts);
    if (rows.reduce((sum, { size }) => sum + size, 0) > maxBytes) throw fileTooLarge(maxBytes);
    const head = new Head();
    const blob = await blobs.write(head.watch(this.bytesOf(rows)), maxBytes);
    const file = { blob, filename: safeFilename(filename), ...(await contentInfo(head.bytes)) };
    return media.add(actor, file, { ...told, messageId: undefined }, parts);
  }

  /** Deletes an upload of the actor. @throws AppError ATTACHMENT_NOT_FOUND, ATTACHMENT_INVALID once it was sent */
  async forget({ userId }: Actor, id: string): Promise<void> {
    const { rows } = this.deps.database;
    if ((await takeUploads(rows, userId, [id])) > 0) return;
    const [row] = await uploadsOf(rows, userId, [id]);
    throw new AppError(row ? 'ATTACHMENT_INVALID' : 'ATTACHMENT_NOT_FOUND');
  }

  private async partsOf({ userId }: Actor, ids: string[]): Promise<StoredAttachment[]> {
    const found = new Map((await uploadsOf(this.deps.database.rows, userId, ids)).map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = found.get(id);
      if (!row || (row.message_id ?? row.held_id ?? row.scheduled_id) !== null)
        throw new AppError('ATTACHMENT_NOT_FOUND');
      return row;
    });
  }

  private async *bytesOf(rows: readonly StoredAttachment[]): AsyncGenerator<Uint8Array> {
    for (const { blob_id: id } of rows) yield* this.deps.blobs.read(id);
  }
}
