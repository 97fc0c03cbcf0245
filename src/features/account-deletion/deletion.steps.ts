import { ifMissing } from '../../contract/errors.ts';
import { streamId, userRoom } from '../../contract/rooms.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import { Passkey, SignInTicket } from '../../database/entities/second-factor.entity.ts';
import { FormerUsername } from '../../database/entities/security.entity.ts';
import { Server, ServerMember } from '../../database/entities/server.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import { publishDeleted } from '../../jobs/reading.ts';
import { smallUser } from '../accounts/account.view.ts';
import { anonymise } from '../accounts/anonymous.ts';
import { keepName } from '../accounts/former-names.table.ts';
import { userCache } from '../accounts/identity.ts';
import type { AgentService } from '../agents/agent.service.ts';
import type { GroupMembers } from '../channels/group-members.ts';
import { eraseInteractions } from '../channels/interaction.erasure.table.ts';
import type { Context } from '../context.ts';
import type { FriendService } from '../friends/friend.service.ts';
import type { HandoverService } from '../handovers/handover.service.ts';
import { forgetRequests } from '../members/join-requests.ts';
import type { Roster } from '../members/roster.ts';
import type { PresenceService } from '../presence/presence.service.ts';
import type { ServerService } from '../servers/server.service.ts';
import {
  askedServers,
  emptyLog,
  forgetMails,
  forgetVisits,
  isSignedIn,
  notificationsFrom,
  ownRows,
  removeNotifications,
} from './deletion.table.ts';

/** How many rows of a user's own one change deletes. */
const rowsAtOnce = 500;
/** The same of what others are told of, each in their own log. */
const toldAtOnce = 50;
const groupsAtOnce = 5;

/** The job runs by PostgreSQL's clock. */
const clockErrorMs = 60_000;

interface Deps extends Pick<Context, 'caches' | 'directAccess'> {
  agents: AgentService;
  servers: ServerService;
  roster: Roster;
  groupMembers: GroupMembers;
  friends: FriendService;
  handovers: HandoverService;
  presence: PresenceService;
}

/** Does one bounded part. @returns whether there may be more of it */
export type Step = (change: Change, userId: string) => Promise<boolean>;

/** How an account is deleted: by small changes, each of which finds what the ones before it have left. */
export class DeletionSteps {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * From here on there is no such account any more, and its messages are a deleted user's.
   * @returns whether to erase them too; undefined: the account stays, or is gone already
   */
  async begin(change: Change, userId: string): Promise<{ erases: boolean } | undefined> {
    const user = await change.em.findOne(User, userId, forUpdate);
    if (!user || !isDue(user)) return undefined;
    if (await isSignedIn(change.rows, userId)) {
      Object.assign(user, { deletesAt: null, erasesMessages: false });
      change.afterCommit(() => this.deps.caches.forget(userCache, [userId]));
      change.afterCommit(() => this.deps.directAccess.forgetAllOf(userId));
      return undefined;
    }
    const erases = user.erasesMessages;
    // Read before it leaves them: its messages stay there, under another name.
    const rooms = await this.deps.presence.roomsOf(userId);
    await forgetMails(change.rows, userId, user.email ?? null);
    const former = await change.em.find(FormerUsername, { userId, keptUntil: { $gt: dateNow() } });
    for (const { username } of [user, ...former]) await keepName(change.rows, username);
    // Nothing that is under way signs in any more.
    await change.em.nativeDelete(SignInTicket, { userId });
    await change.em.nativeDelete(Passkey, { userId });
    anonymise(user);
    await change.em.flush();
    change.afterCommit(() => this.deps.caches.forget(userCache, [userId]));
    change.afterCommit(() => this.deps.directAccess.forgetAllOf(userId));
    change.afterCommit(() => this.deps.presence.introduce(smallUser(user), rooms));
    return { erases };
  }

  readonly agents: Step = async (change, userId) => {
    const agent = await change.em.findOne(Agent, { ownerId: userId }, { orderBy: { id: 'asc' } });
    if (!agent) return false;
    const rooms = await this.deps.presence.roomsOf(agent.userId);
    // Whoever has accepted it meanwhile keeps it.
    await this.deps.agents.remove(change, { id: agent.id, ownerId: userId }, rooms).catch(ifMissing);
    return true;
  };

  readonly servers: Step = async (change, userId) => {
    const server = await change.em.findOne(Server, { ownerId: userId }, { orderBy: { id: 'asc' } });
    if (!server) return false;
    await this.deps.servers.remove(change, 'system', server.id, userId).catch(ifMissing);
    return true;
  };

  /** Before memberships: a request that is approved meanwhile is found among those. */
  readonly requests: Step = async (change, userId) => {
    const [serverId] = await askedServers(change.rows, userId, 1);
    if (serverId === undefined) return false;
    await forgetRequests(change, { serverId, channelId: null }, userId);
    return true;
  };

  /** Of servers, then of groups. */
  readonly memberships: Step = async (change, userId) => {
    const seat = await change.em.findOne(ServerMember, { userId }, { orderBy: { serverId: 'asc' } });
    if (!seat) return (await this.deps.groupMembers.leaveSome(change, userId, groupsAtOnce)) > 0;
    await forgetVisits(change.rows, userId, seat.serverId);
    await this.deps.roster.remove(change, seat.serverId, userId).catch(ifMissing);
    return true;
  };

  readonly friendships: Step = async (change, userId) =>
    (await this.deps.friends.endSome(change, userId, toldAtOnce)) > 0;

  readonly offers: Step = async (change, userId) => (await this.deps.handovers.endSome(change, userId, toldAtOnce)) > 0;

  /** What others were notified of. */
  readonly notices: Step = async (change, userId) => {
    const sent = await notificationsFrom(change.rows, userId, toldAtOnce);
    if (sent.length === 0) return false;
    await change.lock(...sent.map((one) => userRoom(one.userId)));
    const ids = sent.map(({ id }) => id);
    await publishDeleted(change, await removeNotifications(change.rows, ids));
    return true;
  };

  readonly rows: Step = async (change, userId) => {
    if ((await eraseInteractions(change, { userId }, rowsAtOnce)) > 0) return true;
    for (const statement of ownRows) {
      if ((await change.rows(statement, [userId, rowsAtOnce])).length > 0) return true;
    }
    return false;
  };

  /** After all that is told to the user. */
  readonly log: Step = async (change, userId) => {
    const room = userRoom(userId);
    await change.lock(room);
    return (await emptyLog(change.rows, streamId(room), rowsAtOnce)) > 0;
  };
}

const isDue = ({ deletedAt, deletesAt }: User): boolean =>
  deletedAt == null && deletesAt != null && deletesAt.getTime() <= clock.now() + clockErrorMs;
