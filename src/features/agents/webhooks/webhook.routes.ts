import { done, doneSchema } from '../../../contract/schema.ts';
import {
  enableWebhookSchema,
  putWebhookSchema,
  webhookSchema,
  webhookTestSchema,
  webhookWithSecretSchema,
} from '../../../contract/webhook.ts';
import { type Route, route, uuidParam } from '../../../rest/route.ts';
import type { WebhookService } from './webhook.service.ts';

const tag = 'Webhooks';
const auth = 'required';
const params = { id: uuidParam('AGENT_NOT_FOUND', 'Id of the agent.') };

/** For the owner of an agent; the bot itself only sees the state. */
export function webhookRoutes(webhooks: WebhookService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/agents/:id/webhook',
      summary: 'The webhook of an agent, and how its deliveries go.',
      tag,
      auth,
      params,
      answer: webhookSchema,
      errors: ['WEBHOOK_NOT_FOUND'],
      handle: ({ actor, params }) => webhooks.get(actor, params.id),
    }),
    route({
      method: 'PUT',
      path: '/api/agents/:id/webhook',
      summary: 'Set the address to which an agent’s events are delivered from now on.',
      tag,
      auth,
      params,
      body: putWebhookSchema,
      answer: webhookWithSecretSchema,
      errors: ['UNSAFE_URL', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
      limit: 'webhooks',
      handle: ({ actor, params, body }) => webhooks.put(actor, params.id, body.url),
    }),
    route({
      method: 'DELETE',
      path: '/api/agents/:id/webhook',
      summary: 'Delete the webhook; pending deliveries are dropped.',
      tag,
      auth,
      params,
      answer: doneSchema,
      errors: ['WEBHOOK_NOT_FOUND', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await webhooks.delete(actor, params.id);
        return done;
      },
    }),
    ...careRoutes(webhooks),
  ];
}

function careRoutes(webhooks: WebhookService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/agents/:id/webhook/secret',
      summary: 'A new secret. For a day deliveries are signed with those before too, up to four.',
      tag,
      auth,
      params,
      status: 201,
      answer: webhookWithSecretSchema,
      shownOnce: ['secret'],
      errors: ['WEBHOOK_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
      handle: ({ actor, params }) => webhooks.rotate(actor, params.id),
    }),
    route({
      method: 'POST',
      path: '/api/agents/:id/webhook/enable',
      summary:
        'Resume deliveries that were given up or paused, or with `skip` from now; also retries failing ones at once.',
      tag,
      auth,
      params,
      body: enableWebhookSchema,
      answer: webhookSchema,
      errors: ['WEBHOOK_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
      handle: ({ actor, params, body }) => webhooks.enable(actor, params.id, body.skip),
    }),
    route({
      method: 'POST',
      path: '/api/agents/:id/webhook/test',
      summary: 'Send a `webhook:test` now, and get the result.',
      tag,
      auth,
      params,
      answer: webhookTestSchema,
      errors: ['WEBHOOK_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
      limit: 'webhooks',
      repeats: 'never',
      handle: ({ actor, params }) => webhooks.test(actor, params.id),
    }),
  ];
}
