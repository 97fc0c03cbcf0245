import type { z } from 'zod';
import { lockUser, requireStaying, userById } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type HandoverOutcome, handoverEnded, handoverOffered, type offerSchema } from '../../contract/handover.ts';
import { requirePermission } from '../../contract/roles.ts';
import { userRoom } from '../../contract/rooms.ts';
import { Handover } from '../../database/entities/handover.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { markSettledRead } from '../../jobs/reading.ts';
import type { AgentAccess } from '../accounts/agent.access.ts';
import { ownSession } from '../accounts/sessions/session.service.ts';
import type { AgentOwners } from '../agents/agent.owners.ts';
import type { Context } from '../context.ts';
import { requireNoBlock } from '../friends/friend.access.ts';
import { readMember } from '../members/member.table.ts';
import type { MemberService } from '../servers/member.service.ts';
import { type HandoverRecord, handoverRecords } from './handover.view.ts';

const openMs = 7 * 24 * 60 * 60 * 1000;
/** How many offers one person may have to answer. */
const maxReceived = 50;
/** More than anyone owns. */
const listed = 1000;

/** The one of the two who ends it. */
type Side = { fromId: string } | { toId: string };

type Offer = z.output<typeof offerSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'notifications'> {
  agentAccess: AgentAccess;
  agentOwners: AgentOwners;
  members: MemberService;
}

/**
 * Handing servers and agents over to someone who accepts (contract §5): an offer is open for a week; each server and agent
 * has one at most.
 */
export class HandoverService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The open offers to and of the actor, newest first. */
  async list({ userId }: Actor): Promise<{ received: HandoverRecord[]; sent: HandoverRecord[] }> {
    const { database } = this.deps;
    const open = { expiresAt: { $gt: dateNow() } };
    const some = { orderBy: { id: 'desc' }, limit: listed } as const;
    const [received, sent] = await database.read((em) =>
      Promise.all([
        em.find(Handover, { toId: userId, ...open }, some),
        em.find(Handover, { fromId: userId, ...open }, some),
      ]),
    );
    return { received: await handoverRecords(database, received), sent: await handoverRecords(database, sent) };
  }

  /**
   * Offers a server or an agent of the actor's to someone; an earlier offer of the same ends.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, NOT_IN_SERVER, AGENT_NOT_FOUND, USER_NOT_FOUND also when
   * they blocked the actor, USER_BLOCKED, OWN_USER, HANDOVER_LIMIT, FORBIDDEN to bots, INSUFFICIENT_PAT_SCOPE
   */
  async offer(actor: Actor, { userId, serverId, agentId }: Offer): Promise<HandoverRecord> {
    ownSession(actor);
    if (userId === actor.userId) throw new AppError('OWN_USER');
    if (serverId !== undefined) {
      const { membership } = await this.deps.serverAccess.joined(actor, serverId);
      requirePermission(membership.rights, 'server:hand-over');
    }
    if (agentId !== undefined) await this.deps.agentAccess.owned(actor, agentId);
    return this.deps.changes.run(async (change) => {
      const to = await userById(change.rows, userId);
      if (to.isBot) throw new AppError('FORBIDDEN', { message: 'A bot cannot own anything.' });
      // Of two offers of the same, and of many to the same person, the second finds the first.
      for (const id of [actor.userId, userId].sort()) await lockUser(change.rows, id);
      await requireStaying(change.rows, userId);
      await requireNoBlock(change.em, actor, userId);
      if (serverId !== undefined && !(await readMember(change.rows, serverId, userId))) {
        throw new AppError('NOT_IN_SERVER');
      }
      const what = { serverId: serverId ?? null, agentId: agentId ?? null };
      const earlier = await change.em.findOne(Handover, what, forUpdate);
      const replaced = earlier ? [await this.remove(change, earlier)] : [];
      const open = await change.em.count(Handover, { toId: userId, expiresAt: { $gt: dateNow() } });
      if (open >= maxReceived) throw new AppError('HANDOVER_LIMIT');
      const expiresAt = new Date(clock.now() + openMs);
      const made = change.em.create(Handover, { id: newId(), ...what, fromId: actor.userId, toId: userId, expiresAt });
      await change.em.flush();
      const handover = await this.record(change, made);
      await announceEnd(change, replaced, 'withdrawn');
      for (const id of [actor.userId, userId]) change.publish(handoverOffered.in(userRoom(id), { handover }));
      await this.deps.notifications.add(change, {
        kind: serverId === undefined ? 'agent.offered' : 'server.offered',
        to: [userId],
        senderId: actor.userId,
        ...(serverId === undefined ? {} : { serverId }),
        reference: { type: 'handover', id: made.id },
      });
      return handover;
    });
  }

  /**
   * Makes the actor the owner.
   * @throws AppError HANDOVER_NOT_FOUND, NOT_IN_SERVER, SERVER_LIMIT, AGENT_LIMIT, FORBIDDEN, INSUFFICIENT_PAT_SCOPE
   */
  async accept(actor: Actor, id: string): Promise<HandoverRecord> {
    ownSession(actor);
    return this.deps.changes.run(async (change) => {
      const offer = await this.open(change, id, { toId: actor.userId });
      const { fromId, toId, serverId, agentId } = offer;
      const handover = await this.remove(change, offer);
      if (agentId != null) await this.deps.agentOwners.transfer(change, agentId, fromId, toId);
      if (serverId != null) {
        if (!(await readMember(change.rows, serverId, toId))) throw new AppError('NOT_IN_SERVER');
        await this.deps.members.transfer(change, actor, serverId, fromId, toId).catch(asOver);
      }
      await announceEnd(change, [handover], 'accepted');
      return handover;
    });
  }

  /** @throws AppError HANDOVER_NOT_FOUND */
  decline({ userId: toId }: Actor, id: string): Promise<void> {
    return this.end(id, { toId }, 'declined');
  }

  /** @throws AppError HANDOVER_NOT_FOUND */
  withdraw({ userId: fromId }: Actor, id: string): Promise<void> {
    return this.end(id, { fromId }, 'withdrawn');
  }

  /** Ends some of the offers to and of someone whose account is deleted. @returns how many */
  async endSome(change: Change, userId: string, most: number): Promise<number> {
    const some = { orderBy: { id: 'asc' }, limit: most, ...forUpdate } as const;
    const offers = await change.em.find(Handover, { $or: [{ fromId: userId }, { toId: userId }] }, some);
    const ended: HandoverRecord[] = [];
    for (const offer of offers) ended.push(await this.remove(change, offer));
    await announceEnd(change, ended, 'withdrawn');
    return offers.length;
  }

  private async end(id: string, of: Side, outcome: HandoverOutcome): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const ended = await this.remove(change, await this.open(change, id, of));
      await announceEnd(change, [ended], outcome);
    });
  }

  private async open(change: Change, id: string, of: Side): Promise<Handover> {
    const offer = await change.em.findOne(Handover, { id, ...of, expiresAt: { $gt: dateNow() } }, forUpdate);
    if (!offer) throw new AppError('HANDOVER_NOT_FOUND');
    return offer;
  }

  private async remove(change: Change, offer: Handover): Promise<HandoverRecord> {
    const record = await this.record(change, offer);
    await change.em.remove(offer).flush();
    return record;
  }

  private async record(change: Change, offer: Handover): Promise<HandoverRecord> {
    const [record] = await handoverRecords(change, [offer]);
    if (!record) throw new AppError('HANDOVER_NOT_FOUND');
    return record;
  }
}

/** Tells both people of each, whose logs it locks. */
async function announceEnd(change: Change, ended: HandoverRecord[], outcome: HandoverOutcome): Promise<void> {
  await change.lock(...ended.flatMap(({ from, to }) => [userRoom(from.id), userRoom(to.id)]));
  for (const handover of ended) {
    const { id, from, to } = handover;
    await markSettledRead(change, to.id, { type: 'handover', id });
    for (const person of [from, to]) change.publish(handoverEnded.in(userRoom(person.id), { handover, outcome }));
  }
}

/** Whoever offered it may have handed it over in another way, or left. */
function asOver(error: unknown): never {
  const over = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'MEMBER_NOT_FOUND', 'ROLE_REQUIRED'];
  if (error instanceof AppError && over.includes(error.code)) throw new AppError('HANDOVER_NOT_FOUND');
  throw error;
}
