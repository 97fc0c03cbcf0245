import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { messageVersionSchema } from '../../contract/retention.ts';
import { requirePermission } from '../../contract/roles.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Context } from '../context.ts';
import type { MessageAccess } from '../messages/message.access.ts';
import { countInChannel, countInServer } from './count.table.ts';
import { readVersions } from './history.table.ts';

interface Deps extends Pick<Context, 'database' | 'serverAccess' | 'channelAccess'> {
  messageAccess: MessageAccess;
}

/** What goes with time, and what is kept of it (contract §6). */
export class RetentionService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** What would go if a server kept messages for so many days. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED */
  async countInServer(actor: Actor, server: string, days: number) {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'retention:set');
    return this.deps.database.readCurrent(({ rows }) => countInServer(rows, id, days));
  }

  /** The same of one channel. @throws AppError CHANNEL_NOT_FOUND, ROLE_REQUIRED, FORBIDDEN for a DM */
  async countInChannel(actor: Actor, channelId: string, days: number) {
    await this.deps.channelAccess.managed(actor, channelId, 'retention:set');
    return this.deps.database.readCurrent(({ rows }) => countInChannel(rows, channelId, days));
  }

  /**
   * What a message said before it was edited, oldest first.
   * @throws AppError MESSAGE_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED for what others wrote
   */
  async history(actor: Actor, messageId: string): Promise<z.output<typeof messageVersionSchema>[]> {
    const { row, channel } = await this.deps.messageAccess.readable(actor, messageId);
    if (row.author_id !== actor.userId) requirePermission(channel.rights, 'history:read');
    const versions = await readVersions(this.deps.database.rows, channel.id, row.id);
    return versions.map(({ editedAt, ...version }) => ({ ...version, editedAt: isoTime(editedAt) }));
  }
}
