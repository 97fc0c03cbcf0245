import type { z } from 'zod';
import { rightsNow } from '../../access/server.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { pictureNameIn } from '../../contract/picture.ts';
import { requirePermission } from '../../contract/roles.ts';
import { invalid } from '../../contract/schema/validation.ts';
import {
  type addEmojiSchema,
  emojiAdd,
  emojiRemove,
  maxOwnEmoji,
  type OwnEmoji,
  ownEmojiSide,
} from '../../contract/server-emoji.ts';
import { ServerEmoji } from '../../database/entities/emoji.entity.ts';
import { Picture } from '../../database/entities/picture.entity.ts';
import { Server } from '../../database/entities/server.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { Context } from '../context.ts';
import type { Audience } from '../members/audience.ts';
import type { PictureService } from '../pictures/picture.service.ts';
import { emojiRecord } from './emoji.view.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess'> {
  audience: Audience;
  pictures: PictureService;
  allowance: StorageAllowance;
}

/** Emoji of servers' own (contract §6). */
export class EmojiService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** By their names. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER */
  async list(actor: Actor, server: string): Promise<OwnEmoji[]> {
    const { id } = await this.deps.serverAccess.joined(actor, server);
    return this.deps.database.read(async (em) => {
      const found = await em.find(ServerEmoji, { serverId: id }, { orderBy: { name: 'asc' } });
      return found.map(emojiRecord);
    });
  }

  /**
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, EMOJI_NAME_TAKEN, EMOJI_LIMIT, VALIDATION_FAILED for
   *   what is no picture of this site or too large, and like `PictureService.settled`
   */
  async add(actor: Actor, server: string, { name, url }: z.output<typeof addEmojiSchema>): Promise<OwnEmoji> {
    const serverId = await this.managed(actor, server);
    const settled = await this.deps.pictures.settled(actor, url, 'emoji', 'url');
    return this.change(actor, serverId, async (change) => {
      const picture = await pictureAt(change, settled);
      const others = await change.em.count(ServerEmoji, { serverId });
      if (others >= maxOwnEmoji) throw new AppError('EMOJI_LIMIT');
      if ((await change.em.count(ServerEmoji, { serverId, name })) > 0) throw new AppError('EMOJI_NAME_TAKEN');
      const { isAnimated } = picture;
      const made = { id: newId(), serverId, name, url: settled, isAnimated, createdBy: actor.userId };
      const emoji = change.em.create(ServerEmoji, { ...made, createdAt: dateNow() });
      await change.em.flush();
      await this.deps.allowance.requireServersWithin(change.rows, [serverId]);
      change.audit(emojiAdd, {
        actor,
        serverId,
        target: { kind: 'emoji', id: emoji.id, label: name },
        after: { name },
      });
      return emojiRecord(emoji);
    });
  }

  /** @throws AppError like `add`, EMOJI_NOT_FOUND */
  async remove(actor: Actor, server: string, id: string): Promise<void> {
    const serverId = await this.managed(actor, server);
    await this.change(actor, serverId, async (change) => {
      const emoji = await change.em.findOne(ServerEmoji, { id, serverId });
      if (!emoji) throw new AppError('EMOJI_NOT_FOUND');
      const { name } = emoji;
      await change.em.nativeDelete(ServerEmoji, { id });
      change.audit(emojiRemove, { actor, serverId, target: { kind: 'emoji', id, label: name }, before: { name } });
    });
  }

  private async managed(actor: Actor, server: string): Promise<string> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'emoji:manage');
    return id;
  }

  /** Changes of one server's emoji are made one after the other, and everyone in it is told that they are other ones. */
  private async change<T>(actor: Actor, serverId: string, work: (change: Change) => Promise<T>): Promise<T> {
    return this.deps.changes.run(async (change) => {
      const server = await change.em.findOne(Server, serverId, forUpdate);
      if (!server) throw new AppError('SERVER_NOT_FOUND');
      const rights = await rightsNow(change.rows, serverId, [actor.userId]);
      requirePermission(rights.get(actor.userId), 'emoji:manage');
      const result = await work(change);
      server.emojiVersion++;
      await change.em.flush();
      await this.deps.audience.publish(change, { serverId, channelId: null });
      return result;
    });
  }
}

/** @throws AppError VALIDATION_FAILED for what is no uploaded picture, or larger than emoji are */
async function pictureAt({ em }: Change, url: string): Promise<Picture> {
  const name = pictureNameIn(url);
  const picture = name === undefined ? null : await em.findOne(Picture, { name, size: 'large' });
  if (picture && picture.width <= ownEmojiSide && picture.height <= ownEmojiSide) return picture;
  const message = `must be a picture that was uploaded with the shape "emoji"`;
  throw invalid([{ path: 'url', message, code: 'custom' }]);
}
