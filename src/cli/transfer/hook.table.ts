import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { hookFormats } from '../../contract/hook.ts';
import { putWebhookSchema } from '../../contract/webhook.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { id, part, serverChannels, time, times } from './part.ts';

/** As a stored hash of the token in an address, but of nothing: no address leads to it. */
const hashOfNothing = () => randomBytes(32).toString('base64url');

/**
 * Where bots that are members get their events. Nothing is sent there until its owner has said so in the other
 * installation, and has got a secret of it.
 */
export const webhooks = part({
  table: 'webhooks',
  shape: z.object({ agentId: id, url: putWebhookSchema.shape.url, ...times }),
  from: `webhooks t JOIN agents a ON a.id = t.agent_id
    WHERE a.user_id IN (SELECT user_id FROM server_members WHERE server_id = $1) ORDER BY t.agent_id`,
  refers: { agentId: 'agents' },
  derive: (_, place) => ({ state: 'paused', stopped_at: dateNow().toISOString(), secret: place.unknownSecret() }),
});

/** Incoming webhooks: they get another address, which replaces the one that is not in the file. */
export const hooks = part({
  table: 'hooks',
  shape: z.object({
    id,
    channelId: id,
    userId: id,
    format: z.enum(['auto', ...hookFormats]),
    isSigned: z.boolean(),
    createdBy: id.nullable(),
    createdAt: time,
    lastUsedAt: time.nullable(),
  }),
  from: 'hooks t JOIN channels c ON c.id = t.channel_id WHERE c.server_id = $1 ORDER BY t.id',
  select: { isSigned: 't.secret IS NOT NULL' },
  elsewhere: ['isSigned'],
  refers: { channelId: serverChannels, userId: 'users', createdBy: 'users' },
  // One that took only what was signed goes on so: nothing is, until it is given the secret of its sender.
  derive: ({ isSigned }, place) => ({
    token_hash: hashOfNothing(),
    secret: isSigned === true ? place.unknownSecret() : null,
  }),
});
