import { Agent, Webhook } from '../../../database/entities/agent.entity.ts';
import { forUpdate } from '../../../database/queries.ts';
import type { Changes } from '../../../delivery/changes.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import type { NotificationQueue } from '../../../jobs/notification.jobs.ts';

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
      const webhook = await change.em.findOne(Webhook, agentId, forUpdate);
      const agent = await change.em.findOne(Agent, agentId);
      if (webhook?.state !== 'active' || !agent) return;
      webhook.state = state;
      webhook.stoppedAt = dateNow();
      webhook.updatedAt = dateNow();
      const reference = { type: 'agent', id: agentId };
      const notice = { kind: 'agent.webhook_stopped' as const, to: [agent.ownerId], senderId: agent.userId, reference };
      await this.notifications.add(change, notice);
    });
  }
}
