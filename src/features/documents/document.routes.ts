import { z } from 'zod';
import { catalogue } from '../../contract/catalogue.ts';
import { webhookDeliveries } from '../../contract/webhook.ts';
import { asyncApiDocument } from '../../gateway/asyncapi.ts';
import type { Handler } from '../../gateway/handler.ts';
import { openApiDocument } from '../../rest/openapi.ts';
import { JsonText, Reply, type Route, route } from '../../rest/route.ts';

const tag = 'Documents';
const part = z.record(z.string(), z.unknown());
const openApiSchema = z.object({
  openapi: z.string(),
  info: part,
  servers: z.array(part),
  tags: z.array(part),
  paths: part,
  webhooks: part,
  components: part,
});
const asyncApiSchema = z.object({
  asyncapi: z.string(),
  info: part,
  defaultContentType: z.string(),
  channels: part,
  operations: part,
  components: part,
});

/** The API documents, generated from the declarations that serve the node. */
export function documentRoutes(described: { routes(): Route[]; handlers(): Handler[] }, version: string): Route[] {
  const openApi = once(() => openApiDocument(described.routes(), webhookDeliveries(), version));
  const asyncApi = once(() => asyncApiDocument(described.handlers(), catalogue, version));
  return [
    route({
      method: 'GET',
      path: '/api/openapi.json',
      summary: 'This document: all routes, as OpenAPI 3.1.',
      tag,
      auth: 'none',
      answer: openApiSchema,
      handle: async () => new Reply(openApi()),
    }),
    route({
      method: 'GET',
      path: '/api/asyncapi.json',
      summary: 'All events of the sockets, both ways, as AsyncAPI 3.',
      tag,
      auth: 'none',
      answer: asyncApiSchema,
      handle: async () => new Reply(asyncApi()),
    }),
  ];
}

/** Neither routes nor events change while a node runs, so each document is made and written once. */
function once(make: () => object): () => JsonText {
  let made: JsonText | undefined;
  return () => {
    made ??= new JsonText(JSON.stringify(make()));
    return made;
  };
}
