import { catalogue } from '../../contract/catalogue.ts';
import { documentCalls } from '../../contract/document.ts';
import { webhookDeliveries } from '../../contract/webhook.ts';
import { asyncApiDocument } from '../../gateway/asyncapi.ts';
import type { Handler } from '../../gateway/handler.ts';
import { openApiDocument } from '../../rest/openapi.ts';
import { JsonText, Reply, type Route, serve } from '../../rest/route.ts';

/** The API documents, generated from the declarations that serve the node. */
export function documentRoutes(described: { routes(): Route[]; handlers(): Handler[] }, version: string): Route[] {
  const openApi = once(() => openApiDocument(described.routes(), webhookDeliveries(), version));
  const asyncApi = once(() => asyncApiDocument(described.handlers(), catalogue, version));
  return serve(documentCalls, {
    getOpenApi: async () => new Reply(openApi()),
    getAsyncApi: async () => new Reply(asyncApi()),
  });
}

/** Neither routes nor events change while a node runs, so each document is made and written once. */
function once(make: () => object): () => JsonText {
  let made: JsonText | undefined;
  return () => {
    made ??= new JsonText(JSON.stringify(make()));
    return made;
  };
}
