import { ECDH } from 'node:crypto';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type pushPreferencesSchema,
  pushPreferencesUpdated,
  type pushSubscriptionSchema,
  type putSubscriptionSchema,
} from '../../contract/push.ts';
import { userRoom } from '../../contract/rooms.ts';
import { isoTime } from '../../contract/schema.ts';
import { holdSession, ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import { pushTable, type SubscriptionRow } from './push.table.ts';
import { pushTestKind } from './push.work.ts';

type SubscriptionRecord = z.input<typeof pushSubscriptionSchema>;
type Preferences = z.output<typeof pushPreferencesSchema>;

type Deps = Pick<Context, 'database' | 'changes' | 'jobs' | 'outgoing' | 'settings'>;

/** Where pushes go, and what they show (contract §7, Push). */
export class PushService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The public half of the key that signs pushes. @throws AppError PUSH_OFF */
  get publicKey(): string {
    const { pushKeys } = this.deps.settings;
    if (!pushKeys) throw new AppError('PUSH_OFF');
    return pushKeys.publicKey;
  }

  /** That of the calling session. @throws AppError INSUFFICIENT_PAT_SCOPE, FORBIDDEN for bots */
  async subscription(actor: Actor): Promise<SubscriptionRecord | null> {
    const row = await pushTable.find(this.deps.database.rows, ownSession(actor));
    return row ? subscriptionRecord(row) : null;
  }

  /**
   * Has pushes sent to an endpoint as long as the calling session lasts. A session that the same browser had before loses it.
   * @throws AppError PUSH_OFF, UNSAFE_URL, VALIDATION_FAILED, SESSION_REVOKED, INSUFFICIENT_PAT_SCOPE, FORBIDDEN for bots
   */
  async subscribe(actor: Actor, input: z.output<typeof putSubscriptionSchema>): Promise<SubscriptionRecord> {
    const sessionId = ownSession(actor);
    const serverKey = this.publicKey;
    const url = new URL(input.endpoint);
    await this.deps.outgoing.check(url);
    requireKey(input.keys.p256dh);
    return this.deps.changes.run(async (change) => {
      await holdSession(change, sessionId);
      const to = { sessionId, userId: actor.userId, endpoint: url.href, ...input.keys, serverKey };
      const row = await pushTable.put(change.rows, to);
      if (!row) throw new AppError('SESSION_REVOKED');
      return subscriptionRecord(row);
    });
  }

  /** @throws AppError INSUFFICIENT_PAT_SCOPE, FORBIDDEN for bots */
  async unsubscribe(actor: Actor): Promise<void> {
    const sessionId = ownSession(actor);
    await this.deps.changes.run(({ rows }) => pushTable.remove(rows, sessionId));
  }

  /** @throws AppError PUSH_OFF, PUSH_SUBSCRIPTION_NOT_FOUND, INSUFFICIENT_PAT_SCOPE, FORBIDDEN for bots */
  async test(actor: Actor): Promise<void> {
    const sessionId = ownSession(actor);
    if (!this.deps.settings.pushKeys) throw new AppError('PUSH_OFF');
    await this.deps.changes.run(async (change) => {
      if (!(await pushTable.find(change.rows, sessionId))) throw new AppError('PUSH_SUBSCRIPTION_NOT_FOUND');
      await this.deps.jobs.add(change, pushTestKind, { sessionId }, { key: sessionId });
    });
  }

  async preferences(actor: Actor): Promise<Preferences> {
    return { preview: await pushTable.preview(this.deps.database.rows, actor.userId) };
  }

  /** Applies to every push that is sent after the answer. */
  async changePreferences(actor: Actor, { preview }: Preferences): Promise<Preferences> {
    return this.deps.changes.run(async (change) => {
      await change.lock(userRoom(actor.userId));
      await pushTable.setPreview(change.rows, actor.userId, preview);
      change.publish(pushPreferencesUpdated.in(userRoom(actor.userId), { preview }));
      return { preview };
    });
  }
}

/** @throws AppError VALIDATION_FAILED for what is no point of the curve: nothing could be encrypted for it */
function requireKey(p256dh: string): void {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url', 'hex', 'uncompressed');
  } catch {
    const issue = { path: 'keys.p256dh', message: 'is no public key of the curve P-256', code: 'custom' };
    throw new AppError('VALIDATION_FAILED', { extra: { issues: [issue] } });
  }
}

function subscriptionRecord({ endpoint, sessionId, createdAt }: SubscriptionRow): SubscriptionRecord {
  return { endpoint, sessionId, createdAt: isoTime(createdAt) };
}
