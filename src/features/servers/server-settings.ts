import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type Rights, requirePermission } from '../../contract/roles.ts';
import type { updateServerSchema } from '../../contract/server.ts';
import { serverUpdate } from '../../contract/server-actions.ts';
import { MemberRole } from '../../database/entities/role.entity.ts';
import { Server, ServerMember } from '../../database/entities/server.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { expireIn, historyKind } from '../../jobs/retention.jobs.ts';
import type { Context } from '../context.ts';
import type { Filters } from '../filters/filters.ts';
import type { Audience } from '../members/audience.ts';
import type { ServerRecord } from '../members/server.view.ts';
import type { PictureService } from '../pictures/picture.service.ts';
import type { RaidService } from '../raids/raid.service.ts';
import { readServer, settledPictures, thisServer, withFreeSlug } from './server-record.ts';

interface Deps extends Pick<Context, 'changes' | 'jobs' | 'serverAccess' | 'channelAccess'> {
  audience: Audience;
  pictures: PictureService;
  raids: RaidService;
  filters: Filters;
}

/** What admins set of a server (contract §5). */
export class ServerSettings {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, SLUG_TAKEN, SECOND_FACTOR_SETUP_REQUIRED for those who
   * would hold back their own role
   */
  async update(actor: Actor, idOrSlug: string, input: z.output<typeof updateServerSchema>): Promise<ServerRecord> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requireToUpdate(membership.rights, input);
    if (input.holdNewMemberLinksHours !== undefined) requirePermission(membership.rights, 'filter:manage');
    if (input.requireSecondFactor && !actor.secondFactor) throw new AppError('SECOND_FACTOR_SETUP_REQUIRED');
    const { raid, ...fields } = input;
    const changed = { ...fields, ...(await settledPictures(this.deps.pictures, actor, input)) };
    return withFreeSlug(() =>
      this.deps.changes.run(async (change) => {
        const server = await change.em.findOne(Server, id, forUpdate);
        if (!server) throw new AppError('SERVER_NOT_FOUND');
        const { updatedAt } = server;
        const before = settingsOf(server);
        if (raid) await this.deps.raids.configure(change, actor, id, raid);
        const guards =
          input.requireSecondFactor !== undefined && input.requireSecondFactor !== server.requireSecondFactor;
        const { holdNewMemberLinksHours: hours } = input;
        const filters = hours !== undefined && hours !== server.holdNewMemberLinksHours;
        const becomesOther = input.isPublic !== undefined && input.isPublic !== server.isPublic;
        change.em.assign(server, changed, { ignoreUndefined: true });
        await change.em.flush();
        if (becomesOther) await this.forgetChannels(change, id);
        if (guards) await this.forgetRoles(change, id);
        if (filters) change.afterCommit(() => this.deps.filters.forget(id));
        await this.keep(change, before, server);
        // It stays where nothing has changed.
        const isChanged = server.updatedAt !== updatedAt;
        if (isChanged) await this.deps.audience.publish(change, { serverId: id, channelId: null });
        change.audit(serverUpdate, { actor, serverId: id, target: thisServer(server), before, after: server });
        return readServer(change.rows, id, actor.userId);
      }),
    );
  }

  /** Whether the channels may be listed depends on whether the server is public. */
  private async forgetChannels(change: Change, serverId: string): Promise<void> {
    const channels = await change.db.selectFrom('Channel').where('serverId', '=', serverId).select('id').execute();
    change.afterCommit(() => this.deps.channelAccess.forget(channels.map(({ id }) => id)));
  }

  /** Removes, after the change, what a server does not keep any more. */
  private async keep(change: Change, before: Settled, server: Server): Promise<void> {
    const { id } = server;
    if (server.keepMessagesDays !== before.keepMessagesDays) {
      const channels = change.db.selectFrom('Channel').where('serverId', '=', id).where('keepMessagesDays', 'is', null);
      const ids = (await channels.select('id').execute()).map((channel) => channel.id);
      await expireIn(change, this.deps.jobs, ids);
    }
    if (before.keepEditHistory && !server.keepEditHistory) {
      await this.deps.jobs.add(change, historyKind, { serverId: id, isLast: false }, { key: id });
    }
  }

  /** Whether roles count depends on whether the server holds them back. */
  private async forgetRoles(change: Change, serverId: string): Promise<void> {
    const fixed = await change.em.find(ServerMember, { serverId, role: { $ne: 'member' } });
    const own = await change.em.find(MemberRole, { serverId });
    change.afterCommit(() => this.deps.serverAccess.forgetAll([...fixed, ...own]));
  }
}

/** What a change may change. */
type Settled = Pick<Server, (typeof serverUpdate.fields)[number]>;

function settingsOf(server: Server): Settled {
  const { name, slug, description, iconUrl, bannerUrl, homepageHtml, isPublic, requireSecondFactor } = server;
  const { holdNewMemberLinksHours, keepMessagesDays, keepEditHistory, linkPreviews } = server;
  const { mark, accentColor } = server;
  const shown = { name, slug, description, iconUrl, bannerUrl, homepageHtml, isPublic, mark, accentColor };
  return { ...shown, requireSecondFactor, holdNewMemberLinksHours, keepMessagesDays, keepEditHistory, linkPreviews };
}

/** How long messages are kept takes a permission of its own, and no other. @throws AppError ROLE_REQUIRED */
function requireToUpdate(rights: Rights, input: z.output<typeof updateServerSchema>): void {
  const { keepMessagesDays, ...others } = input;
  const isKeeping = keepMessagesDays !== undefined;
  if (isKeeping) requirePermission(rights, 'retention:set');
  const isOther = !isKeeping || Object.values(others).some((value) => value !== undefined);
  if (isOther) requirePermission(rights, 'server:update');
}
