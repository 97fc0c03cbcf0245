import type { z } from 'zod';
import { usersByIds } from '../../access/user.table.ts';
import type { Actor, SmallUser } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type createHookSchema, type hookCalls, maxHooks, type updateHookSchema } from '../../contract/hook.ts';
import { hookCreate, hookDelete, hookRenew, hookUpdate } from '../../contract/hook-actions.ts';
import { channelRoom, userRoom } from '../../contract/rooms.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { Channel } from '../../database/entities/channel.entity.ts';
import { Hook } from '../../database/entities/hook.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { createStream } from '../../delivery/log.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { SealedText } from '../../infrastructure/sealed-text.ts';
import { smallUser } from '../accounts/account.view.ts';
import { userCache } from '../accounts/identity.ts';
import { newSecret } from '../accounts/secrets.ts';
import { ownSession } from '../accounts/sessions/session.service.ts';
import { claimUsername } from '../accounts/usernames.table.ts';
import type { Context } from '../context.ts';
import type { PictureService } from '../pictures/picture.service.ts';
import type { PresenceService } from '../presence/presence.service.ts';
import { requireOwnName, requireOwnPicture } from './hook.names.ts';

type HookRecord = z.input<typeof hookCalls.listHooks.answer>[number];
type Addressed = z.input<typeof hookCalls.createHook.answer>;

/** Hexadecimal digits of a username: with these nobody else has it. */
const nameDigits = 12;

/** The channel of a server that the actor manages. */
interface Managed {
  id: string;
  serverId: string;
}

interface Deps extends Pick<Context, 'database' | 'changes' | 'caches' | 'channelAccess' | 'settings' | 'publicUrl'> {
  pictures: PictureService;
  presence: Pick<PresenceService, 'introduce'>;
  sealed: SealedText;
}

/** Incoming webhooks, for those who manage their channel (contract §6). They belong to it, not to whoever made them. */
export class HookService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** In the order of their making. @throws AppError CHANNEL_NOT_FOUND, ROLE_REQUIRED, FORBIDDEN */
  async list(actor: Actor, channelId: string): Promise<HookRecord[]> {
    const channel = await this.managed(actor, channelId);
    return this.deps.database.read(async (em) => {
      const hooks = await em.find(Hook, { channelId: channel.id }, { orderBy: { id: 'asc' } });
      const ids = hooks.flatMap(({ userId, createdBy }) => (createdBy ? [userId, createdBy] : [userId]));
      const users = await usersByIds(this.deps.database.rows, ids);
      return hooks.map((hook) => hookRecord(hook, channel, users));
    });
  }

  /**
   * @throws AppError like `list`, INSUFFICIENT_PAT_SCOPE, HOOK_LIMIT, VALIDATION_FAILED for a name or a picture of someone
   *   else, and like `PictureService.settled`
   */
  async create(actor: Actor, channelId: string, input: z.output<typeof createHookSchema>): Promise<Addressed> {
    const channel = await this.managed(actor, channelId);
    ownSession(actor);
    const avatarUrl = (await this.deps.pictures.settled(actor, input.avatarUrl, 'square', 'avatarUrl')) ?? null;
    const { secret: token, hash: tokenHash } = newSecret('hook_');
    return this.deps.changes.run(async (change) => {
      await lockChannel(change, channel);
      const { em, rows } = change;
      if ((await em.count(Hook, { channelId: channel.id })) >= maxHooks) throw new AppError('HOOK_LIMIT');
      const bot = await this.makeBot(change, channel, input.name, avatarUrl);
      const { format, signingSecret } = input;
      const secret = signingSecret ? this.deps.sealed.seal(signingSecret) : null;
      const place = {
        id: newId(),
        channelId: channel.id,
        userId: bot.id,
        createdBy: actor.userId,
        createdAt: dateNow(),
      };
      const hook = em.create(Hook, { ...place, format, tokenHash, secret });
      await em.flush();
      await createStream(rows, userRoom(bot.id));
      change.audit(hookCreate, { ...audited(actor, channel, hook, bot), after: facts(hook, bot) });
      return this.addressed(hook, channel, people(bot, actor.user), token);
    });
  }

  /** @throws AppError like `create`, HOOK_NOT_FOUND */
  async update(
    actor: Actor,
    { channelId, hookId }: { channelId: string; hookId: string },
    input: z.output<typeof updateHookSchema>,
  ): Promise<HookRecord> {
    const channel = await this.managed(actor, channelId);
    ownSession(actor);
    const avatarUrl = await this.deps.pictures.settled(actor, input.avatarUrl, 'square', 'avatarUrl');
    const { name, format, signingSecret } = input;
    return this.change(channel, hookId, async (change, hook, bot) => {
      const before = facts(hook, bot);
      if (name !== undefined && name !== bot.displayName) await requireOwnName(change.rows, channel.serverId, name);
      if (avatarUrl) await requireOwnPicture(change.rows, avatarUrl, bot.id);
      if (name !== undefined) bot.displayName = name;
      if (avatarUrl !== undefined) bot.avatarUrl = avatarUrl;
      if (format !== undefined) hook.format = format;
      if (signingSecret !== undefined)
        hook.secret = signingSecret === null ? null : this.deps.sealed.seal(signingSecret);
      await change.em.flush();
      const after = facts(hook, bot);
      change.audit(hookUpdate, { ...audited(actor, channel, hook, bot), before, after });
      change.afterCommit(() => this.deps.caches.forget(userCache, [bot.id]));
      change.afterCommit(() => this.deps.presence.introduce(smallUser(bot), [channelRoom(channel.id)]));
      return hookRecord(hook, channel, await this.usersOf(change, hook, bot));
    });
  }

  /** Another address; the one before ends with the commit. @throws AppError like `update` */
  async renew(actor: Actor, { channelId, hookId }: { channelId: string; hookId: string }): Promise<Addressed> {
    const channel = await this.managed(actor, channelId);
    ownSession(actor);
    const { secret: token, hash } = newSecret('hook_');
    return this.change(channel, hookId, async (change, hook, bot) => {
      hook.tokenHash = hash;
      await change.em.flush();
      change.audit(hookRenew, audited(actor, channel, hook, bot));
      change.afterCommit(() => this.endPosts(bot));
      return this.addressed(hook, channel, await this.usersOf(change, hook, bot), token);
    });
  }

  /** What it wrote stays, by its name; its user can do nothing more. @throws AppError like `list`, HOOK_NOT_FOUND */
  async delete(actor: Actor, { channelId, hookId }: { channelId: string; hookId: string }): Promise<void> {
    const channel = await this.managed(actor, channelId);
    await this.change(channel, hookId, async (change, hook, bot) => {
      change.audit(hookDelete, { ...audited(actor, channel, hook, bot), before: facts(hook, bot) });
      change.em.remove(hook);
      bot.deletedAt = dateNow();
      await change.em.flush();
      change.afterCommit(() => this.endPosts(bot));
    });
  }

  /** Posts under way are checked again before they are committed: after this none by the address before is. */
  private endPosts({ id }: User): Promise<void> {
    return this.deps.caches.forget(userCache, [id]);
  }

  private async managed(actor: Actor, channelId: string): Promise<Managed> {
    return this.deps.channelAccess.managed(actor, channelId, 'channel:update');
  }

  /** Changes of one incoming webhook are made one after the other. */
  private change<T>(
    channel: Managed,
    hookId: string,
    work: (change: Change, hook: Hook, bot: User) => Promise<T>,
  ): Promise<T> {
    return this.deps.changes.run(async (change) => {
      await lockChannel(change, channel);
      const hook = await change.em.findOne(Hook, { id: hookId, channelId: channel.id }, forUpdate);
      if (!hook) throw new AppError('HOOK_NOT_FOUND');
      return work(change, hook, await change.em.findOneOrFail(User, hook.userId, forUpdate));
    });
  }

  private async makeBot(change: Change, { serverId }: Managed, name: string, avatarUrl: string | null): Promise<User> {
    const id = newId();
    await requireOwnName(change.rows, serverId, name);
    if (avatarUrl !== null) await requireOwnPicture(change.rows, avatarUrl, id);
    const username = `hook-${id.replaceAll('-', '').slice(-nameDigits)}`;
    return change.em.create(User, {
      id,
      ...(await claimUsername(change.rows, id, username)),
      displayName: name,
      avatarUrl,
      isBot: true,
      tier: this.deps.settings.accounts.tiers[0]?.id ?? this.deps.settings.newAccountTier,
    });
  }

  private addressed(hook: Hook, channel: Managed, users: Map<string, SmallUser>, token: string): Addressed {
    return { ...hookRecord(hook, channel, users), token, url: `${this.deps.publicUrl()}/hooks/${token}` };
  }

  private async usersOf({ rows }: Change, { createdBy }: Hook, bot: User): Promise<Map<string, SmallUser>> {
    const maker = createdBy ? (await usersByIds(rows, [createdBy])).get(createdBy) : undefined;
    return people(bot, maker);
  }
}

/** @throws AppError CHANNEL_NOT_FOUND for one that was deleted meanwhile */
async function lockChannel({ em }: Change, { id }: Managed): Promise<void> {
  if (!(await em.findOne(Channel, { id, deletedAt: null }, forUpdate))) throw new AppError('CHANNEL_NOT_FOUND');
}

const people = (bot: User, maker: SmallUser | undefined): Map<string, SmallUser> =>
  new Map([[bot.id, smallUser(bot)], ...(maker ? [[maker.id, maker] as const] : [])]);

const facts = ({ format, secret }: Hook, { displayName, avatarUrl = null }: User) => ({
  name: displayName,
  avatarUrl,
  format,
  isSigned: secret != null,
});

const audited = (actor: Actor, { id: channelId, serverId }: Managed, hook: Hook, bot: User) => {
  const target = { kind: 'hook', id: hook.id, label: bot.displayName } as const;
  return { actor, serverId, channelId, target };
};

function hookRecord(hook: Hook, { serverId }: Managed, users: Map<string, SmallUser>): HookRecord {
  const { id, channelId, userId, format, secret, createdBy = null, createdAt, lastUsedAt } = hook;
  const bot = users.get(userId);
  const shown = { name: bot?.displayName ?? '', avatarUrl: bot?.avatarUrl ?? null, format, isSigned: secret != null };
  const made = { createdBy, createdByUser: (createdBy && users.get(createdBy)) || null, createdAt: isoTime(createdAt) };
  return { id, channelId, serverId, userId, ...shown, ...made, lastUsedAt: isoTimeOrNull(lastUsedAt) };
}
