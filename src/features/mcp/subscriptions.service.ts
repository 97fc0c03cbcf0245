import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { eventsCalls } from '../../contract/events.ts';
import { requireScopes, scopesOfCall } from '../../contract/scopes.ts';
import type { Context } from '../context.ts';
import type { EventsService } from '../events/events.service.ts';
import { mcpSubscriptionTable, type SubscriptionRow } from './subscription.table.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'control'> {
  events: EventsService;
}

/** The channels that sessions are subscribed to (contract §8). */
export class McpSubscriptions {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Subscribes a session to a channel from its position now.
   * @throws AppError SUBSCRIPTION_LIMIT, INSUFFICIENT_PAT_SCOPE, and as the channel's log would be refused
   */
  async subscribe(actor: Actor, sessionId: string, channelId: string, signal: AbortSignal): Promise<void> {
    if (actor.scopes) requireScopes(actor.scopes, scopesOfCall(eventsCalls.readChannelLog));
    const { seq } = await this.deps.events.ofChannel(actor, channelId, { limit: 1, wait: 0, noted: false }, signal);
    await this.deps.changes.run(async ({ rows }) => {
      await lockUser(rows, actor.userId);
      const { hasRoom, isThere } = await mcpSubscriptionTable.room(rows, actor.userId, sessionId, channelId);
      if (isThere) return;
      if (!hasRoom) throw new AppError('SUBSCRIPTION_LIMIT');
      await mcpSubscriptionTable.add(rows, sessionId, actor.userId, { channelId, seq });
    });
    await this.tell(sessionId);
  }

  async unsubscribe(sessionId: string, channelId: string): Promise<void> {
    await this.deps.changes.run(({ rows }) => mcpSubscriptionTable.remove(rows, sessionId, channelId));
    await this.tell(sessionId);
  }

  /** Ends a session: all that it is subscribed to, and its stream. */
  async end(sessionId: string): Promise<void> {
    await this.deps.changes.run(({ rows }) => mcpSubscriptionTable.removeAll(rows, sessionId));
    await this.tell(sessionId, true);
  }

  ofSession(sessionId: string): Promise<SubscriptionRow[]> {
    return mcpSubscriptionTable.ofSession(this.deps.database.rows, sessionId);
  }

  /** Notes how far a session was notified. */
  async advance(sessionId: string, reached: SubscriptionRow[]): Promise<void> {
    if (reached.length === 0) return;
    await mcpSubscriptionTable.advance(this.deps.database.rows, sessionId, reached);
  }

  /** The stream of the session may be open on any node. One that does not hear of it looks by itself from time to time. */
  private tell(sessionId: string, isOver = false): Promise<void> {
    return this.deps.control.send({ kind: 'mcp', sessionId, isOver });
  }
}
