import { done } from '../../../contract/schema.ts';
import { webhookCalls } from '../../../contract/webhook.ts';
import { type Route, serve } from '../../../rest/route.ts';
import type { WebhookService } from './webhook.service.ts';

export function webhookRoutes(webhooks: WebhookService): Route[] {
  return serve(webhookCalls, {
    getWebhook: ({ actor, params }) => webhooks.get(actor, params.id),
    setWebhook: ({ actor, params, body }) => webhooks.put(actor, params.id, body.url),
    async deleteWebhook({ actor, params }) {
      await webhooks.delete(actor, params.id);
      return done;
    },
    createWebhookSecret: ({ actor, params }) => webhooks.rotate(actor, params.id),
    enableWebhook: ({ actor, params, body }) => webhooks.enable(actor, params.id, body.skip),
    testWebhook: ({ actor, params }) => webhooks.test(actor, params.id),
  });
}
