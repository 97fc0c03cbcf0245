import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { userRoom } from '../../../contract/rooms.ts';
import type { webhookTestSchema, webhookWithSecretSchema } from '../../../contract/webhook.ts';
import type { Rows } from '../../../database/database.ts';
import { Agent, Webhook } from '../../../database/entities/agent.entity.ts';
import { forUpdate } from '../../../database/queries.ts';
import type { Change } from '../../../delivery/changes.ts';
import { clock, dateNow } from '../../../infrastructure/clock.ts';
import type { SealedText } from '../../../infrastructure/sealed-text.ts';
import { markSettledRead } from '../../../jobs/reading.ts';
import { type AgentAccess, holdOwned } from '../../accounts/agent.access.ts';
import { holdSession, ownSession } from '../../accounts/sessions/session.service.ts';
import type { Context } from '../../context.ts';
import { failingRooms, progressOf, restartCursors } from './cursor.table.ts';
import { mostPreviousSecrets, newWebhookSecret, previousSecrets, signingSecrets } from './signature.ts';
import type { WebhookSender } from './webhook.sender.ts';
import { placeWebhook } from './webhook.table.ts';
import { type WebhookRecord, webhookRecord } from './webhook.view.ts';

type WithSecret = z.input<typeof webhookWithSecretSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'outgoing' | 'settings' | 'control' | 'notifications'> {
  agentAccess: AgentAccess;
  sealed: SealedText;
  sender: WebhookSender;
}

/** The webhook of a bot, managed by its owner's session: it works even after the bot's token ends (contract §4). */
export class WebhookService {
  private readonly deps: Deps;
  private readonly overlapSeconds: number;

  constructor(deps: Deps) {
    this.deps = deps;
    this.overlapSeconds = deps.settings.webhooks.secretOverlapSeconds;
  }

  /** @throws AppError AGENT_NOT_FOUND, WEBHOOK_NOT_FOUND */
  async get(actor: Actor, agentId: string): Promise<WebhookRecord> {
    await this.deps.agentAccess.readable(actor, agentId);
    return this.deps.database.read((em) => record(em, this.deps.database.rows, agentId));
  }

  /**
   * Registers the webhook of an agent: it gets events from now on. A new address continues where the old one was,
   * with the same secret. The owner is notified.
   * @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself, INSUFFICIENT_PAT_SCOPE, UNSAFE_URL
   */
  async put(actor: Actor, agentId: string, url: string): Promise<WithSecret> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    const session = ownSession(actor);
    await this.deps.outgoing.check(new URL(url));
    const secret = newWebhookSecret();
    return this.change(
      agent,
      async ({ em, rows }) => {
        const webhook = { agentId, url, secret: this.deps.sealed.seal(secret), madeBy: session };
        const isNew = await placeWebhook(rows, webhook);
        if (!isNew) await restartCursors(rows, agentId, false);
        return { ...(await record(em, rows, agentId)), secret: isNew ? secret : null };
      },
      session,
      async (change) => {
        await markStopRead(change, agentId);
        const reference = { type: 'agent', id: agentId };
        const notice = { kind: 'agent.webhook_set' as const, to: [agent.ownerId], senderId: agent.userId, reference };
        await this.deps.notifications.add(change, notice);
      },
    );
  }

  /** @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself, WEBHOOK_NOT_FOUND */
  async delete(actor: Actor, agentId: string): Promise<void> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    const remaining = async ({ em }: Change) => {
      if ((await em.nativeDelete(Webhook, agentId)) === 0) throw new AppError('WEBHOOK_NOT_FOUND');
    };
    await this.change(agent, remaining, null, (change) => markStopRead(change, agentId));
  }

  /** A new secret; for a day the previous ones sign too, so that receivers can switch at their leisure. */
  async rotate(actor: Actor, agentId: string): Promise<WithSecret> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    const secret = newWebhookSecret();
    const work = async ({ em, rows }: Change) => {
      const webhook = await lockWebhook(em, agentId);
      // Valid ones keep signing, so that a repeated request breaks nobody: the first response may have been lost.
      const previous = [webhook.secret, ...previousSecrets(webhook)].slice(0, mostPreviousSecrets);
      webhook.previousSecret = previous.join(' ');
      webhook.previousUntil = new Date(clock.now() + this.overlapSeconds * 1000);
      webhook.secret = this.deps.sealed.seal(secret);
      webhook.updatedAt = dateNow();
      await em.flush();
      return { ...(await record(em, rows, agentId)), secret };
    };
    return this.change(agent, work, ownSession(actor));
  }

  /** Retries at once after failures, or after it was given up or paused. @param skip continues from now instead */
  async enable(actor: Actor, agentId: string, skip: boolean): Promise<WebhookRecord> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    return this.change(
      agent,
      async ({ em, rows }) => {
        const webhook = await lockWebhook(em, agentId);
        webhook.state = 'active';
        webhook.stoppedAt = null;
        webhook.updatedAt = dateNow();
        await em.flush();
        await restartCursors(rows, agentId, skip);
        return record(em, rows, agentId);
      },
      ownSession(actor),
      (change) => markStopRead(change, agentId),
    );
  }

  /** Sends a test event now, in any state, and reports the outcome. */
  async test(actor: Actor, agentId: string): Promise<z.input<typeof webhookTestSchema>> {
    await this.deps.agentAccess.owned(actor, agentId);
    ownSession(actor);
    const webhook = await this.deps.database.read((em) => em.findOne(Webhook, agentId));
    if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND');
    const secrets = signingSecrets(this.deps.sealed, webhook.secret, previousSecrets(webhook));
    const timestamp = dateNow().toISOString();
    const body = JSON.stringify({ type: 'webhook:test', timestamp, agentId, room: null, seq: null, data: { agentId } });
    const begun = performance.now();
    const outcome = await this.deps.sender.send({ url: webhook.url, secrets, id: `msg_${randomUUID()}`, body });
    const durationMs = Math.round(performance.now() - begun);
    return { ok: true, delivered: outcome.delivered, error: outcome.delivered ? null : outcome.error, durationMs };
  }

  /** @param session must be valid until the commit; null: the change makes no credential */
  private change<T>(
    agent: Pick<Agent, 'id' | 'ownerId'>,
    work: (change: Change) => Promise<T>,
    session: string | null,
    then?: (change: Change) => Promise<void>,
  ): Promise<T> {
    return this.deps.changes.run(async (change) => {
      if (session !== null) await holdSession(change, session);
      await holdOwned(change.db, agent);
      change.afterCommit(() => this.deps.control.send({ kind: 'webhook', agentId: agent.id }));
      const result = await work(change);
      await then?.(change);
      return result;
    });
  }
}

/** @throws AppError WEBHOOK_NOT_FOUND */
async function lockWebhook(em: EntityManager, agentId: string): Promise<Webhook> {
  const webhook = await em.findOne(Webhook, agentId, forUpdate);
  if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND');
  return webhook;
}

/** @throws AppError WEBHOOK_NOT_FOUND */
async function record(em: EntityManager, rows: Rows, agentId: string): Promise<WebhookRecord> {
  const webhook = await em.findOne(Webhook, agentId);
  if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND');
  return webhookRecord(webhook, await progressOf(rows, agentId), await failingRooms(rows, agentId));
}

/** Marks the notification of a failed webhook as read once its owner has dealt with it. */
async function markStopRead(change: Change, agentId: string): Promise<void> {
  const agent = await change.em.findOne(Agent, agentId);
  if (!agent) return;
  await change.lock(userRoom(agent.ownerId));
  await markSettledRead(change, agent.ownerId, { type: 'agent', id: agentId, kind: 'agent.webhook_stopped' });
}
