import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { userRoom } from '../../../contract/rooms.ts';
import type { webhookTestSchema, webhookWithSecretSchema } from '../../../contract/webhook.ts';
import type { Rows } from '../../../database/database.ts';
import type { Change } from '../../../delivery/changes.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import type { SealedText } from '../../../infrastructure/sealed-text.ts';
import { markSettledRead } from '../../../jobs/reading.ts';
import type { AgentAccess } from '../../accounts/agent.access.ts';
import { holdSession, ownSession } from '../../accounts/sessions/session.service.ts';
import type { Context } from '../../context.ts';
import { mostPreviousSecrets, newWebhookSecret, signingSecrets } from './signature.ts';
import type { WebhookSender } from './webhook.sender.ts';
import { type FailingRow, type WebhookRecord, type WebhookRow, webhookRecord } from './webhook.view.ts';

type WithSecret = z.input<typeof webhookWithSecretSchema>;

/** In one statement, since the webhook, or its bot, may be deleted at any moment. */
const place = `INSERT INTO webhooks (agent_id, url, secret, made_by) VALUES ($1, $2, $3, $4)
  ON CONFLICT (agent_id) DO UPDATE SET url = excluded.url, made_by = excluded.made_by, state = 'active', stopped_at = NULL, updated_at = now()
  RETURNING secret = $3 AS "isNew"`;
const remove = 'DELETE FROM webhooks WHERE agent_id = $1 RETURNING agent_id';
/** Valid secrets keep signing, so that a repeated request breaks nobody: the first response may have been lost. */
const rotate = `UPDATE webhooks SET previous_secret = array_to_string((ARRAY[secret] ||
    CASE WHEN previous_until > now() THEN string_to_array(previous_secret, ' ') END)[1:${mostPreviousSecrets}], ' '),
  previous_until = now() + make_interval(secs => $3), secret = $2, updated_at = now()
  WHERE agent_id = $1 RETURNING agent_id`;
const activate = `UPDATE webhooks SET state = 'active', stopped_at = NULL, updated_at = now() WHERE agent_id = $1
  RETURNING agent_id`;
/** The lease holder stops when it next advances a cursor. */
const beginAnew = `UPDATE webhook_cursors c SET attempts = 0, failing_since = NULL, due_at = now(), lease = NULL,
    leased_until = NULL, seq = CASE WHEN $2 THEN s.last_seq ELSE c.seq END
  FROM streams s WHERE s.id = c.stream_id AND c.agent_id = $1`;
const find = `SELECT w.agent_id AS "agentId", w.url, w.state, w.stopped_at AS "stoppedAt",
    w.previous_until AS "previousUntil", w.created_at AS "createdAt", w.updated_at AS "updatedAt",
    coalesce(rooms.pending, 0) AS pending, rooms.failing_since AS "failingSince", rooms.delivered_at AS "lastDeliveredAt",
    newest.error AS "lastError", newest.failed_at AS "lastErrorAt"
  FROM webhooks w
  LEFT JOIN LATERAL (SELECT sum(s.last_seq - c.seq)::int AS pending, min(c.failing_since) AS failing_since,
      max(c.delivered_at) AS delivered_at
    FROM webhook_cursors c JOIN streams s ON s.id = c.stream_id WHERE c.agent_id = w.agent_id) AS rooms ON true
  LEFT JOIN LATERAL (SELECT c.error, c.failed_at FROM webhook_cursors c
    WHERE c.agent_id = w.agent_id AND c.failed_at IS NOT NULL ORDER BY c.failed_at DESC LIMIT 1) AS newest ON true
  WHERE w.agent_id = $1`;
const findFailing = `SELECT kind, stream_id AS "streamId", seq, attempts, error, failing_since AS since, due_at AS "dueAt"
  FROM webhook_cursors WHERE agent_id = $1 AND failing_since IS NOT NULL ORDER BY failing_since LIMIT 20`;
const findSecrets = `SELECT url, secret, CASE WHEN previous_until > now() THEN previous_secret END AS previous
  FROM webhooks WHERE agent_id = $1`;

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
    return this.record(this.deps.database.rows, agentId);
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
      agentId,
      async ({ rows }) => {
        const [placed] = await rows<{ isNew: boolean }>(place, [agentId, url, this.deps.sealed.seal(secret), session]);
        const isNew = placed?.isNew === true;
        if (!isNew) await rows(beginAnew, [agentId, false]);
        return { ...(await this.record(rows, agentId)), secret: isNew ? secret : null };
      },
      session,
      async (change) => {
        await markStopRead(change, agentId);
        const reference = { type: 'agent', id: agentId };
        const to = [agent.owner_id];
        await this.deps.notifications.add(change, {
          kind: 'agent.webhook_set',
          to,
          senderId: agent.user_id,
          reference,
        });
      },
    );
  }

  /** @throws AppError AGENT_NOT_FOUND, FORBIDDEN for the bot itself, WEBHOOK_NOT_FOUND */
  async delete(actor: Actor, agentId: string): Promise<void> {
    await this.deps.agentAccess.owned(actor, agentId);
    const remaining = async ({ rows }: Change) => requireOne(await rows(remove, [agentId]));
    await this.change(agentId, remaining, null, (change) => markStopRead(change, agentId));
  }

  /** A new secret; for a day the previous ones sign too, so that receivers can switch at their leisure. */
  async rotate(actor: Actor, agentId: string): Promise<WithSecret> {
    await this.deps.agentAccess.owned(actor, agentId);
    const secret = newWebhookSecret();
    const work = async ({ rows }: Change) => {
      requireOne(await rows(rotate, [agentId, this.deps.sealed.seal(secret), this.overlapSeconds]));
      return { ...(await this.record(rows, agentId)), secret };
    };
    return this.change(agentId, work, ownSession(actor));
  }

  /** Retries at once after failures, or after it was given up or paused. @param skip continues from now instead */
  async enable(actor: Actor, agentId: string, skip: boolean): Promise<WebhookRecord> {
    await this.deps.agentAccess.owned(actor, agentId);
    return this.change(
      agentId,
      async ({ rows }) => {
        requireOne(await rows(activate, [agentId]));
        await rows(beginAnew, [agentId, skip]);
        return this.record(rows, agentId);
      },
      ownSession(actor),
      (change) => markStopRead(change, agentId),
    );
  }

  /** Sends a test event now, in any state, and reports the outcome. */
  async test(actor: Actor, agentId: string): Promise<z.input<typeof webhookTestSchema>> {
    await this.deps.agentAccess.owned(actor, agentId);
    ownSession(actor);
    const [row] = await this.deps.database.rows<{ url: string; secret: string; previous: string | null }>(findSecrets, [
      agentId,
    ]);
    if (!row) throw new AppError('WEBHOOK_NOT_FOUND');
    const secrets = signingSecrets(this.deps.sealed, row.secret, row.previous);
    const timestamp = dateNow().toISOString();
    const body = JSON.stringify({ type: 'webhook:test', timestamp, agentId, room: null, seq: null, data: { agentId } });
    const begun = performance.now();
    const outcome = await this.deps.sender.send({ url: row.url, secrets, id: `msg_${randomUUID()}`, body });
    const durationMs = Math.round(performance.now() - begun);
    return { ok: true, delivered: outcome.delivered, error: outcome.delivered ? null : outcome.error, durationMs };
  }

  /** @param session must be valid until the commit; null: the change makes no credential */
  private change<T>(
    agentId: string,
    work: (change: Change) => Promise<T>,
    session: string | null,
    then?: (change: Change) => Promise<void>,
  ): Promise<T> {
    return this.deps.changes.run(async (change) => {
      if (session !== null) await holdSession(change, session);
      change.afterCommit(() => this.deps.control.send({ kind: 'webhook', agentId }));
      const result = await work(change);
      await then?.(change);
      return result;
    });
  }

  private async record(rows: Rows, agentId: string): Promise<WebhookRecord> {
    const [row] = await rows<WebhookRow>(find, [agentId]);
    if (!row) throw new AppError('WEBHOOK_NOT_FOUND');
    return webhookRecord(row, await rows<FailingRow>(findFailing, [agentId]));
  }
}

/** Marks the notification of a failed webhook as read once its owner has dealt with it. */
async function markStopRead(change: Change, agentId: string): Promise<void> {
  const [agent] = await change.rows<{ ownerId: string }>('SELECT owner_id AS "ownerId" FROM agents WHERE id = $1', [
    agentId,
  ]);
  if (!agent) return;
  await change.lock(userRoom(agent.ownerId));
  await markSettledRead(change, agent.ownerId, { type: 'agent', id: agentId, kind: 'agent.webhook_stopped' });
}

function requireOne(rows: object[]): void {
  if (rows.length === 0) throw new AppError('WEBHOOK_NOT_FOUND');
}
