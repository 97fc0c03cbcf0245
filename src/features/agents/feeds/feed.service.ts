import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import {
  agentReplay,
  type botFeedSchema,
  maxFeedRooms,
  type replayAnswerSchema,
  type replaySchema,
} from '../../../contract/agent-feed.ts';
import { AppError } from '../../../contract/errors.ts';
import { userRoom } from '../../../contract/rooms.ts';
import { isoTimeOrNull } from '../../../contract/schema.ts';
import { type AgentAccess, holdOwned } from '../../accounts/agent.access.ts';
import type { Context } from '../../context.ts';
import { feedStates, type RoomState, sendBackTo } from './feed.table.ts';

type Feed = z.input<typeof botFeedSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'control'> {
  agentAccess: AgentAccess;
}

/** How far bots are behind, and sending them back (contract §4). */
export class FeedService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** For the owner and the bot itself. @throws AppError AGENT_NOT_FOUND */
  async get(actor: Actor, agentId: string): Promise<Feed> {
    await this.deps.agentAccess.readable(actor, agentId);
    const states = await feedStates(this.deps.database.rows, agentId, maxFeedRooms);
    const [first] = states;
    const total = (lag: number | null | undefined, rooms = 0) => (lag == null ? null : { lag, rooms });
    return {
      agentId,
      webhook: total(first?.webhookLag, first?.webhookRooms),
      poll: total(first?.pollLag, first?.pollRooms),
      rooms: states.map(roomRecord),
    };
  }

  /**
   * Has a bot get events again. @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself, CHANNEL_NOT_FOUND where it is
   * not
   */
  async replay(
    actor: Actor,
    agentId: string,
    wanted: z.output<typeof replaySchema>,
  ): Promise<z.input<typeof replayAnswerSchema>> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    const [room, after, at] = [wanted.room ?? null, wanted.after ?? null, wanted.at ?? null];
    return this.deps.changes.run(async (change) => {
      await holdOwned(change.db, agent);
      const streamId = room?.slice(room.indexOf(':') + 1) ?? null;
      const sent = await sendBackTo(change.rows, agentId, { streamId, after, at });
      if (room !== null && sent.length === 0) throw new AppError('CHANNEL_NOT_FOUND');
      const reached = room === null ? null : (sent[0]?.after ?? null);
      change.publish(agentReplay.in(userRoom(agent.userId), { agentId, room, after: reached, at }));
      change.afterCommit(() => this.deps.control.send({ kind: 'webhook', agentId }));
      return { ok: true, rooms: sent.length };
    });
  }
}

function roomRecord(state: RoomState): Feed['rooms'][number] {
  const { kind, streamId, head, webhookSeq, pollSeq } = state;
  const reached = (seq: number | null, at: Date | string | null) =>
    seq === null ? null : { seq, lag: Math.max(head - seq, 0), at: isoTimeOrNull(at) };
  return {
    room: `${kind}:${streamId}`,
    head,
    webhook: reached(webhookSeq, state.deliveredAt),
    poll: reached(pollSeq, state.polledAt),
    replayAfter: state.replayAfter,
    waitingSince: isoTimeOrNull(state.waitingSince),
  };
}
