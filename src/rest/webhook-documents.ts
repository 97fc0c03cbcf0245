import type { z } from 'zod';
import type { Examples } from '../contract/schema/examples.ts';
import type { JsonSchemas } from '../contract/schema/json-schemas.ts';

/** A request that the service sends to registered addresses. */
export interface WebhookDelivery {
  name: string;
  summary: string;
  payload: z.ZodType;
}

/** The headers of the Standard Webhooks convention. */
export const signatureParameters = {
  WebhookId: header('webhook-id', 'The same each time the same event is sent; what you have seen already, ignore.'),
  WebhookTimestamp: header('webhook-timestamp', 'When it was sent, in seconds since 1970; refuse what is minutes old.'),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, with what follows `whsec_` in your secret, as base64, for the key. While a secret is being changed there is one for it and one for each that it replaced, with spaces between them.',
  ),
};

function header(name: string, description: string): object {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
}

const nameOf = (delivery: WebhookDelivery) => `webhook ${delivery.name}`;

/** The payloads of all deliveries, by the names that `webhooks` looks up. */
export function deliverySchemas(deliveries: WebhookDelivery[]): [string, z.ZodType][] {
  return deliveries.map((delivery) => [nameOf(delivery), delivery.payload]);
}

/** The `webhooks` of an OpenAPI 3.1 document. */
export function webhooks(
  deliveries: WebhookDelivery[],
  { schemas, examples }: { schemas: JsonSchemas; examples: Examples },
): Record<string, object> {
  const parameters = Object.keys(signatureParameters).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const responses = {
    '2XX': { description: 'Accepted. After any other response, or none, it is sent again later.' },
    '410': { description: 'Send nothing any more.' },
  };
  return Object.fromEntries(
    deliveries.map((delivery) => {
      const schema = schemas.of(nameOf(delivery));
      const content = { 'application/json': { schema, example: examples.of(schema) } };
      const { name, summary } = delivery;
      const post = { summary, tags: ['Webhooks'], parameters, requestBody: { required: true, content }, responses };
      return [name, { post }];
    }),
  );
}
