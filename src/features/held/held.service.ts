import { NIL } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { AuditAction } from '../../contract/audit-action.ts';
import { AppError } from '../../contract/errors.ts';
import type { HeldRecord, HeldState, heldCalls, listHeldSchema } from '../../contract/held.ts';
import { heldApprove, heldReject } from '../../contract/moderation-actions.ts';
import type { NotificationKind } from '../../contract/notification.ts';
import { requirePermission } from '../../contract/roles.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import type { Change } from '../../delivery/changes.ts';
import type { AgentIdentity } from '../accounts/agent.identity.ts';
import type { HookIdentity } from '../accounts/hook.identity.ts';
import type { Identity } from '../accounts/identity.ts';
import { haveSameOwner } from '../accounts/responsible.table.ts';
import type { Context } from '../context.ts';
import { claimHeld, findHeld, type HeldRow, heldQueue, ownHeld, releaseHeld } from '../messages/held.table.ts';
import { heldRecord } from '../messages/held.view.ts';
import type { Holding } from '../messages/holding.ts';
import type { MessageService } from '../messages/message.service.ts';
import type { MessageRecord } from '../messages/message.view.ts';

/** How long others wait for a node that publishes something before they may do it in its place. */
const publishingSeconds = 30;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'channelAccess' | 'notifications'> {
  holding: Holding;
  messages: MessageService;
  identity: Identity;
  agentIdentity: AgentIdentity;
  hookIdentity: HookIdentity;
}

/** What moderators do with what filters hold, and its authors (contract §6, Filters). Of several one alone decides. */
export class HeldService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** What waits, oldest first. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, INVALID_CURSOR */
  async queue(actor: Actor, idOrSlug: string, query: z.output<typeof listHeldSchema>): Promise<ListPage<HeldRecord>> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, idOrSlug);
    requirePermission(membership.rights, 'held:decide');
    const page = { after: idCursor(query.cursor) ?? NIL, limit: query.limit + 1 };
    const rows = await heldQueue(this.deps.database.rows, id, actor.userId, page);
    return listPage(rows, query.limit, (row) => ({ ...heldRecord(row, 'moderator'), isOwn: row.is_own }));
  }

  /** The actor's own in a channel. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async own(actor: Actor, channelId: string): Promise<HeldRecord[]> {
    await this.deps.channelAccess.entered(actor, channelId);
    const rows = await ownHeld(this.deps.database.rows, actor.userId, channelId);
    return rows.map((row) => heldRecord(row, 'author'));
  }

  /**
   * Publishes a held message, or makes a held edit, as its author would.
   * @throws AppError HELD_NOT_FOUND, ROLE_REQUIRED, FORBIDDEN for one's own, HELD_DECIDED, HELD_NOT_POSTABLE
   */
  async approve(actor: Actor, id: string): Promise<z.output<typeof heldCalls.approveHeld.answer>> {
    const row = await this.decidable(actor, id);
    const message = await this.publish(row);
    const from: HeldState[] = ['waiting'];
    const decision = { status: 'approved', by: actor.userId, messageId: message.id, from } as const;
    const settled = await this.deps.changes.run(async (change) => {
      const decided = await this.deps.holding.settle(change, id, decision);
      await this.notify(change, decided, 'message.held_approved', message.id);
      auditDecided(change, actor, heldApprove, decided);
      return decided;
    });
    return { ...heldRecord(settled, 'moderator'), message: { ...message, nonce: undefined } };
  }

  /** Rejects a held message. @throws AppError as `approve`, without HELD_NOT_POSTABLE */
  async reject(actor: Actor, id: string): Promise<HeldRecord> {
    await this.decidable(actor, id);
    const from: HeldState[] = ['waiting'];
    const decision = { status: 'rejected', by: actor.userId, messageId: null, from } as const;
    return this.deps.changes.run(async (change) => {
      const decided = await this.deps.holding.settle(change, id, decision);
      await this.notify(change, decided, 'message.held_rejected', null);
      auditDecided(change, actor, heldReject, decided);
      return heldRecord(decided, 'moderator');
    });
  }

  /** Takes back the actor's own, or forgets a rejected one. @throws AppError HELD_NOT_FOUND, HELD_DECIDED */
  async withdraw(actor: Actor, id: string): Promise<void> {
    const row = await findHeld(this.deps.database.rows, id);
    if (row?.author_id !== actor.userId) throw new AppError('HELD_NOT_FOUND');
    if (row.status !== 'waiting' && row.status !== 'rejected') throw new AppError('HELD_DECIDED');
    const from: HeldState[] = [row.status];
    const decision = { status: 'withdrawn', by: actor.userId, messageId: null, from } as const;
    await this.deps.changes.run((change) => this.deps.holding.settle(change, id, decision));
  }

  private async decidable(actor: Actor, id: string): Promise<HeldRow> {
    const row = await this.deps.holding.decidable(actor, id);
    if (await haveSameOwner(this.deps.database.rows, row.author_id, actor.userId)) {
      throw new AppError('FORBIDDEN', { message: 'Someone else decides about messages of your own and of your bots.' });
    }
    if (row.status !== 'waiting') throw new AppError('HELD_DECIDED');
    return row;
  }

  /** Publishes once: whoever comes in between, or repeats it after a node has died, finds the same message. */
  private async publish(row: HeldRow): Promise<MessageRecord> {
    const { rows } = this.deps.database;
    if (!(await claimHeld(rows, row.id, publishingSeconds))) throw new AppError('HELD_DECIDED');
    try {
      return await this.asAuthor(row);
    } catch (error) {
      // What failed on our side may have been done: others wait until it must have come to an end.
      if (!(error instanceof AppError) || (error.status >= 500 && error.code !== 'SERVER_BUSY')) throw error;
      await releaseHeld(rows, row.id);
      if (error.status >= 500) throw error;
      throw new AppError('HELD_NOT_POSTABLE', { extra: { reason: error.code }, cause: error });
    }
  }

  private async asAuthor(row: HeldRow): Promise<MessageRecord> {
    const { author_id: authorId, content, message_id: messageId, nonce, metadata, poll, components } = row;
    const author = row.is_bot
      ? ((await this.deps.agentIdentity.actor(authorId)) ?? (await this.deps.hookIdentity.actor(authorId)))
      : await this.deps.identity.person(authorId);
    if (!author) throw new AppError('USER_NOT_FOUND');
    if (row.kind === 'edit' && messageId !== null) return this.edit(author, row, messageId);
    const attachments = row.attachments?.map(({ id }) => id) ?? [];
    const place = { threadId: row.thread_id, replyToId: row.reply_to_id };
    const answer = { ifHead: row.if_head, answersTo: row.answers_to };
    const input = { content, attachments, ...place, ...answer, metadata, poll, components, nonce };
    const kept = { heldForward: row.forwarded, heldHearing: row.answers_within, namesNobody: row.names_nobody };
    const options = { idempotencyKey: row.sent_key ?? `held ${row.id}`, heldId: row.id, ...kept };
    return (await this.deps.messages.send(author, row.channel_id, input, options)).result;
  }

  /** An edit of a text that is there no more would undo what came after it. */
  private async edit(author: Actor, row: HeldRow, messageId: string): Promise<MessageRecord> {
    const { content } = await this.deps.messages.get(author, messageId);
    if (content !== row.previous_content && content !== row.content) {
      throw new AppError('FORBIDDEN', { message: 'The message was edited since.' });
    }
    return this.deps.messages.edit(
      author,
      messageId,
      { content: row.content },
      { isApproved: true, namesNobody: row.names_nobody },
    );
  }

  /** Tells a person what became of it, without who decided. */
  private async notify(change: Change, row: HeldRow, kind: NotificationKind, messageId: string | null): Promise<void> {
    if (row.is_bot) return;
    const reference = messageId ? { reference: { type: 'message', id: messageId } } : {};
    const place = { serverId: row.server_id, channelId: row.channel_id };
    await this.deps.notifications.add(change, { kind, to: [row.author_id], senderId: null, ...place, ...reference });
  }
}

function auditDecided(change: Change, actor: Actor, action: AuditAction, row: HeldRow): void {
  const target = { kind: 'held-message', id: row.id } as const;
  const before = { authorId: row.author_id };
  change.audit(action, { actor, serverId: row.server_id, channelId: row.channel_id, target, before });
}
