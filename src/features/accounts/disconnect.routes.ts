import { z } from 'zod';
import { disconnectSchema } from '../../contract/account.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { bearerToken } from '../../infrastructure/bearer.ts';
import { type Route, route } from '../../rest/route.ts';
import type { DisconnectService } from './disconnect.service.ts';

/** For clients that leave: `sendBeacon` sends no headers, and usually not JSON's content type. */
export function disconnectRoutes(disconnects: DisconnectService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/disconnect',
      summary: 'Announce that this client leaves: you are offline at once, unless you are connected elsewhere.',
      tag: 'Accounts',
      auth: 'none',
      headers: z.object({ authorization: z.string().optional() }),
      body: disconnectSchema,
      anyBody: true,
      answer: doneSchema,
      async handle({ headers, body, ip }) {
        await disconnects.left(bearerToken(headers.authorization) ?? body.token ?? null, ip);
        return done;
      },
    }),
  ];
}
