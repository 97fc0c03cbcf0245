import type { Changes } from '../../../delivery/changes.ts';
import type { NotificationQueue } from '../../../jobs/notification.jobs.ts';

const stop = `UPDATE webhooks w SET state = $2, stopped_at = now(), updated_at = now() FROM agents a
  WHERE w.agent_id = $1 AND w.state = 'active' AND a.id = w.agent_id
  RETURNING a.owner_id AS "ownerId", a.user_id AS "userId"`;

/** Gives up a webhook that no longer answers; its owner gets one notification. */
export class WebhookStops {
  private readonly changes: Changes;
  private readonly notifications: NotificationQueue;

  constructor(changes: Changes, notifications: NotificationQueue) {
    this.changes = changes;
    this.notifications = notifications;
  }

  async stop(agentId: string, state: 'dead' | 'gone'): Promise<void> {
    await this.changes.run(async (change) => {
      const [agent] = await change.rows<{ ownerId: string; userId: string }>(stop, [agentId, state]);
      if (!agent) return;
      const reference = { type: 'agent', id: agentId };
      const notice = { kind: 'agent.webhook_stopped' as const, to: [agent.ownerId], senderId: agent.userId, reference };
      await this.notifications.add(change, notice);
    });
  }
}
