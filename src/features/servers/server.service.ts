import type { z } from 'zod';
import { userById } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { requirePermission } from '../../contract/roles.ts';
import { channelRoom, userRoom } from '../../contract/rooms.ts';
import {
  type createServerSchema,
  type discoverSchema,
  type invitingServerSchema,
  type ownServerSchema,
  serverInvited,
} from '../../contract/server.ts';
import { serverDelete, serverRenewInvite } from '../../contract/server-actions.ts';
import { Server } from '../../database/entities/server.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Auditor } from '../../delivery/audit.ts';
import type { Change } from '../../delivery/changes.ts';
import { closeStreams } from '../../delivery/log.ts';
import { newId } from '../../infrastructure/ids.ts';
import { closePlace } from '../../jobs/closed-places.ts';
import type { Settings } from '../../settings/settings.ts';
import { ownSession } from '../accounts/sessions/session.service.ts';
import type { ChannelService } from '../channels/channel.service.ts';
import type { Context } from '../context.ts';
import { requireNoBlock } from '../friends/friend.access.ts';
import type { Audience } from '../members/audience.ts';
import { requireUnbanned } from '../members/ban.access.ts';
import { linkDetails } from '../members/invite-link.table.ts';
import type { Roster } from '../members/roster.ts';
import { findInviting, findServer, publicServers, serversOf } from '../members/server.table.ts';
import { memberRecord, outsideRecord, type ServerRecord, serverChange, serverRecord } from '../members/server.view.ts';
import type { PictureService } from '../pictures/picture.service.ts';
import { noSuchCode } from '../server-invites/link-uses.ts';
import { type InviteCodes, newInviteCode } from './invite-code.ts';
import { requireRoomToOwn } from './member.service.ts';
import { keepReports } from './reports-left.table.ts';
import { readServer, settledPictures, thisServer, withFreeSlug } from './server-record.ts';

interface Deps
  extends Pick<
    Context,
    | 'database'
    | 'changes'
    | 'control'
    | 'serverAccess'
    | 'channelAccess'
    | 'capabilities'
    | 'notifications'
    | 'settings'
  > {
  channels: ChannelService;
  audience: Audience;
  roster: Roster;
  pictures: PictureService;
  inviteCodes: InviteCodes;
  statuses: StatusReader;
}

/** Communities (contract §5). */
export class ServerService {
  private readonly deps: Deps;
  private readonly settings: Settings['servers'];

  constructor(deps: Deps) {
    this.deps = deps;
    this.settings = deps.settings.servers;
  }

  /**
   * Creates a server with a channel `general`, owned by the actor. @throws AppError INVITE_REQUIRED, SERVER_LIMIT,
   * SLUG_TAKEN
   */
  async create(actor: Actor, input: z.output<typeof createServerSchema>): Promise<ServerRecord> {
    this.deps.capabilities.require(actor, 'server:create');
    const { iconUrl = null, bannerUrl = null } = await settledPictures(this.deps.pictures, actor, input);
    return withFreeSlug(() =>
      this.deps.changes.run(async (change) => {
        await requireRoomToOwn(change, actor.userId, this.settings.maxPerOwner);
        const server = change.em.create(Server, {
          id: newId(),
          name: input.name,
          slug: input.slug ?? null,
          description: input.description ?? null,
          iconUrl,
          bannerUrl,
          homepageHtml: input.homepageHtml ?? null,
          mark: input.mark ?? null,
          accentColor: input.accentColor ?? null,
          isPublic: input.isPublic,
          ownerId: actor.userId,
          inviteCode: newInviteCode(),
        });
        await change.em.flush();
        const record = await this.deps.roster.add(change, actor.user, server.id, 'owner');
        await this.deps.channels.createGeneral(change, actor, server.id);
        return record;
      }),
    );
  }

  /** The actor's servers, in the order joined. */
  async own(actor: Actor): Promise<z.input<typeof ownServerSchema>[]> {
    const rows = await this.deps.database.readCurrent((reader) => serversOf(reader.rows, actor.userId));
    return rows.map((row) => {
      const server = serverRecord(row);
      return {
        ...server,
        server,
        member: memberRecord(row, this.deps.statuses, { userId: actor.userId, rights: null }),
      };
    });
  }

  /** @throws AppError SERVER_NOT_FOUND */
  async get(actor: Actor, idOrSlug: string): Promise<ServerRecord> {
    const { id } = await this.deps.serverAccess.visible(actor, idOrSlug);
    return readServer(this.deps.database.rows, id, actor.userId);
  }

  /** Public servers, those with the most members first; for anyone. */
  async discover(actor: Actor | null, query: z.output<typeof discoverSchema>): Promise<ServerRecord[]> {
    const like = query.query === '' ? '' : `%${query.query.replace(/[\\%_]/g, '\\$&')}%`;
    const found = await this.deps.database.readCurrent(({ rows }) =>
      publicServers(rows, like, query, actor?.userId ?? null),
    );
    return found.map(outsideRecord);
  }

  /**
   * The server of an invite code or link; for anyone who has the code.
   * @throws AppError SERVER_NOT_FOUND, also for a link that is over
   */
  async byInvite(actor: Actor | null, code: string): Promise<z.output<typeof invitingServerSchema>> {
    const row = await findInviting(this.deps.database.rows, code, actor?.userId ?? null);
    if (!row) throw noSuchCode();
    const { linkId } = row;
    const nothing = { channel: null, inviter: null };
    return { ...outsideRecord(row), ...(linkId ? await linkDetails(this.deps.database.rows, linkId) : nothing) };
  }

  /** Replaces the invite code. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, FORBIDDEN for bots */
  async regenerateInvite(actor: Actor, idOrSlug: string): Promise<{ inviteCode: string }> {
    requireNoBot(actor);
    ownSession(actor);
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'server:regenerate-invite');
    return this.deps.changes.run(async (change) => {
      change.audit(serverRenewInvite, { actor, serverId: id, target: { kind: 'server', id } });
      return { inviteCode: await this.deps.inviteCodes.renew(change, id) };
    });
  }

  /**
   * Deletes a server at once for everyone; its contents are removed in the background.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED for all but the owner
   */
  async delete(actor: Actor, idOrSlug: string): Promise<void> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'server:delete');
    await this.deps.changes.run((change) => this.remove(change, actor, id, actor.userId));
  }

  /** The same as part of a change. @param by who does it @throws AppError SERVER_NOT_FOUND, ROLE_REQUIRED if someone else owns it */
  async remove(change: Change, by: Auditor, id: string, ownerId: string): Promise<void> {
    const server = await change.em.findOne(Server, id, forUpdate);
    if (!server) throw new AppError('SERVER_NOT_FOUND');
    if (server.ownerId !== ownerId) throw new AppError('ROLE_REQUIRED');
    change.audit(serverDelete, { actor: by, serverId: id, target: thisServer(server), before: server });
    const members = await this.deps.audience.members(change.rows, id);
    const detached = await this.deps.channels.detachAll(change, id);
    await keepReports(change.rows, id);
    await change.em.remove(server).flush();
    const rooms = detached.map(channelRoom);
    await closePlace(change, { serverId: id, channelId: null, isGone: true }, members, rooms);
    await closeStreams(change.rows, rooms);
    await this.deps.notifications.settle(change, id);
    change.afterCommit(() => this.deps.channelAccess.forget(detached));
    change.afterCommit(() => this.deps.control.send({ kind: 'dissolve', rooms }));
  }

  /**
   * Invites a user to a server.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, USER_NOT_FOUND also when they blocked the actor, USER_BLOCKED when the
   * actor blocked them, ALREADY_MEMBER, BANNED, FORBIDDEN for bots
   */
  async invite(actor: Actor, idOrSlug: string, userId: string): Promise<void> {
    requireNoBot(actor);
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'server:invite');
    await this.deps.changes.run(async (change) => {
      const user = await userById(change.rows, userId);
      if (user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots are added by those who own them.' });
      await requireNoBlock(change.em, actor, userId);
      await requireUnbanned(change.rows, id, userId, false);
      const row = await findServer(change.rows, id, userId);
      if (!row?.invite_code) throw new AppError('SERVER_NOT_FOUND');
      if (row.role) throw new AppError('ALREADY_MEMBER', { message: 'This user is a member already.' });
      const invitation = { ...serverChange(serverRecord(row)), inviteCode: row.invite_code, invitedBy: actor.user };
      change.publish(serverInvited.in(userRoom(userId), invitation));
      const reference = { type: 'server', id };
      const to = [userId];
      await this.deps.notifications.add(change, {
        kind: 'server.invite',
        to,
        senderId: actor.userId,
        serverId: id,
        reference,
      });
    });
  }
}

/** Bots see no invite codes, and hand out none. @throws AppError FORBIDDEN */
function requireNoBot(actor: Actor): void {
  if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have nothing to do with invite codes.' });
}
