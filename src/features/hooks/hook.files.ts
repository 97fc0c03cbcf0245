import type { Actor } from '../../contract/actor.ts';
import { maxAttachments } from '../../contract/attachment.ts';
import { AppError } from '../../contract/errors.ts';
import type { IncomingFile } from '../../infrastructure/incoming-file.ts';
import type { MediaService, ReceivedFile } from '../media/media.service.ts';
import { isJson, type Json, textIn } from './formats/json.ts';

/** A file that came with a post, and the field of the form that it was in. */
interface TakenFile {
  field: string;
  file: ReceivedFile;
}

/** What a file may be refused for without its message being refused: it is named in the text then. */
const bounds = new Set(['QUOTA_EXCEEDED', 'BODY_TOO_LARGE', 'UPLOAD_LIMIT', 'ATTACHMENT_INVALID', 'ROLE_REQUIRED']);

export const isBound = (error: unknown): boolean => error instanceof AppError && bounds.has(error.code);

/** How a file that is not attached is named in the text. */
export const named = (name: string, bytes: number): string => `${name} (${bytes} bytes, not taken)`;

/** The files of one post to an incoming webhook: as many as a message carries, as far as there is room in its server. */
export class HookFiles {
  readonly taken: TakenFile[] = [];
  private readonly media: MediaService;
  private readonly actor: Actor;
  private readonly serverId: string;

  constructor(media: MediaService, actor: Actor, serverId: string) {
    this.media = media;
    this.actor = actor;
    this.serverId = serverId;
  }

  /** Receives the bytes of a file. @returns false: there is no room for it */
  async take(field: string, file: IncomingFile): Promise<boolean> {
    if (this.taken.length >= maxAttachments) return false;
    try {
      this.taken.push({ field, file: await this.media.receive(this.actor, file, 0, this.serverId) });
      return true;
    } catch (error) {
      if (isBound(error)) return false;
      throw error;
    }
  }

  /** Runs `send` with the ids of the files. What did not get into a message then is given up. */
  async attached<T>(send: (ids: string[]) => Promise<T>): Promise<T> {
    const ids: string[] = [];
    try {
      for (const { file } of this.taken) {
        const told = { messageId: undefined, voice: false, isSpoiler: file.filename.startsWith('SPOILER_') };
        ids.push((await this.media.add(this.actor, file, told)).id);
      }
      return await send(ids);
    } finally {
      if (ids.length > 0) await this.media.giveUp(this.actor, ids);
    }
  }

  /** The text that says which files came, where they cannot be attached. */
  get names(): string {
    return this.taken.map(({ field, file }) => `${field}: ${named(file.filename, file.blob.size)}`).join('\n');
  }

  /** What a post says of files that are attached says no more than they do, but for their descriptions. */
  without(body: Json): Json {
    const { attachments } = body;
    if (!Array.isArray(attachments) || this.taken.length === 0) return body;
    const fields = new Set(this.taken.map(({ field }) => field));
    const left = attachments.flatMap((one: unknown) => {
      if (!isJson(one) || !('filename' in one) || !fields.has(`files[${one.id}]`)) return [one];
      const description = textIn(one.description);
      return description ? [description] : [];
    });
    return { ...body, attachments: left };
  }
}
