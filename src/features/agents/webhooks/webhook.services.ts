import type { Chores } from '../../../cluster/chores.ts';
import type { Database } from '../../../database/database.ts';
import type { Delivery } from '../../../delivery/delivery.ts';
import type { Outgoing } from '../../../infrastructure/outgoing.ts';
import { SealedText } from '../../../infrastructure/sealed-text.ts';
import type { NotificationQueue } from '../../../jobs/notification.jobs.ts';
import type { Settings } from '../../../settings/settings.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { WebhookCursors } from './webhook.cursors.ts';
import { WebhookDeliverer } from './webhook.deliverer.ts';
import { WebhookDispatcher } from './webhook.dispatcher.ts';
import { WebhookSender } from './webhook.sender.ts';
import { WebhookService } from './webhook.service.ts';
import { WebhookStops } from './webhook.stops.ts';

type Made = 'cursors' | 'sender' | 'sealed' | 'stops' | 'deliverer';
type Parts = Omit<
  ConstructorParameters<typeof WebhookDeliverer>[0] &
    ConstructorParameters<typeof WebhookDispatcher>[0] &
    ConstructorParameters<typeof WebhookService>[0],
  Made
> & {
  settings: Settings;
  database: Database;
  delivery: Delivery;
  outgoing: Outgoing;
  notifications: NotificationQueue;
  chores: Chores;
};

/** Webhooks of bots: their administration and delivery. */
export function createWebhooks(parts: Parts): { webhooks: WebhookService; webhookDispatcher: WebhookDispatcher } {
  const { timeoutMs, leaseSeconds } = parts.settings.webhooks;
  const sealed = new SealedText(parts.settings.jwtSecrets);
  const cursors = new WebhookCursors(parts.database, parts.delivery, leaseSeconds);
  const sender = new WebhookSender(parts.outgoing, timeoutMs);
  const stops = new WebhookStops(parts.changes, parts.notifications);
  const deliverer = new WebhookDeliverer({ ...parts, cursors, sender, stops, sealed });
  const webhookDispatcher = new WebhookDispatcher({ ...parts, cursors, deliverer });
  parts.chores.add(resealSecrets(sealed));
  parts.control.handle({ webhook: ({ agentId }) => webhookDispatcher.changed(agentId) });
  return { webhooks: new WebhookService({ ...parts, sealed, sender }), webhookDispatcher };
}
