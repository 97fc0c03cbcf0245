import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { LinkPreview } from '../../contract/link-preview.ts';
import { previewsRemove } from '../../contract/link-preview-calls.ts';
import { may } from '../../contract/roles.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { KeptPreview } from '../../database/entities/message.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import type { MessageAccess } from '../messages/message.access.ts';
import { publishUpdated } from '../messages/message.edit.ts';
import { linksIn } from '../messages/message.links.ts';
import type { MessageService } from '../messages/message.service.ts';
import { findMessage } from '../messages/message.table.ts';
import { type MessageRecord, type MessageRow, messageRecord } from '../messages/message.view.ts';
import { outdate } from '../messages/outdated.ts';
import { keepPreviews } from './preview.table.ts';

interface Deps extends Pick<Context, 'changes'> {
  messageAccess: MessageAccess;
  messages: MessageService;
}

/** What people do with link previews (contract §6). */
export class PreviewService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Removes previews of a message, also those that are still to come: of these links they do not come back.
   * @param url of one of them; undefined: all
   * @throws AppError like `MessageAccess.deletable`
   */
  async remove(actor: Actor, messageId: string, url: string | undefined): Promise<MessageRecord> {
    const { row, channel } = await this.deps.messageAccess.deletable(actor, messageId);
    const { author_id: authorId } = row;
    const record = await this.deps.changes.run(async (change) => {
      await change.lock(channelRoom(channel.id));
      const now = await findMessage(change.rows, messageId);
      if (!now) throw new AppError('MESSAGE_NOT_FOUND');
      const shown = await this.removeFrom(change, now, url);
      const { serverId, rights } = channel;
      const isOther = authorId !== actor.userId && may(rights, 'message:delete-others');
      if (shown !== now && isOther && serverId) {
        const target = { kind: 'message', id: messageId } as const;
        change.audit(previewsRemove, { actor, serverId, channelId: channel.id, target, before: { authorId } });
      }
      return messageRecord(shown, actor.userId);
    });
    return actor.user.isBot ? this.deps.messages.reader.asHeard(actor, record) : record;
  }

  /** @returns the message after that; the same one where nothing was to be removed */
  private async removeFrom(change: Change, row: MessageRow, url: string | undefined): Promise<MessageRow> {
    const had = new Map((row.previews ?? []).map((preview) => [preview.url, preview]));
    const previews = linksIn(row.content).flatMap((address): KeptPreview[] => {
      if (url === undefined || url === address) return [removed(address)];
      const preview = had.get(address);
      return preview ? [preview] : [];
    });
    const isNew = previews.some(({ url: address, isRemoved }) => isRemoved && !had.get(address)?.isRemoved);
    if (!isNew) return row;
    const { id: messageId, channel_id: channelId } = row;
    await keepPreviews(change.rows, { messageId, channelId }, previews);
    await outdate(change.rows, channelId, [row]);
    return publishUpdated(change, channelId, messageId);
  }
}

const nothing: Omit<LinkPreview, 'url'> = {
  siteName: null,
  title: null,
  description: null,
  imageUrl: null,
  isLarge: false,
};

const removed = (url: string): KeptPreview => ({ url, ...nothing, isRemoved: true });
