import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import { idSchema } from '../../contract/schema.ts';
import { inviteUsed } from '../../contract/server-invite.ts';
import type { Change } from '../../delivery/changes.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { useLink } from '../members/invite-link.table.ts';
import { audienceOf } from './server-invite.service.ts';
import { readLink } from './server-invite.table.ts';

const usedSchema = z.object({ serverId: idSchema, inviteId: idSchema });
type Used = z.output<typeof usedSchema>;

const usedKind: JobKind<Used> = { name: 'invite-used', schema: usedSchema };

/** A use of a link: what the member record says, and the channel that clients open. */
export interface LinkUse {
  inviteId: string;
  invitedBy: string | null;
  channelId: string | null;
}

/** Counts who joins with links (contract §5, Invite links). */
export class LinkUses {
  private readonly jobs: Jobs;

  constructor(jobs: Jobs) {
    this.jobs = jobs;
  }

  /**
   * Takes one use of a link as part of a join: if that fails, nothing is used. Of two who want the last one, one gets it.
   * @throws AppError SERVER_NOT_FOUND, as for a code that never existed
   */
  async take(change: Change, serverId: string, inviteId: string): Promise<LinkUse> {
    const used = await useLink(change.rows, inviteId);
    if (!used) throw noSuchCode();
    await this.changed(change, serverId, inviteId);
    return { inviteId, invitedBy: used.createdBy, channelId: used.channelId };
  }

  /** Those who see the link are told after the change, once for all uses until then. */
  private async changed(change: Change, serverId: string, inviteId: string): Promise<void> {
    await this.jobs.add(change, usedKind, { serverId, inviteId }, { key: inviteId });
  }
}

/** The same for expired, used up and revoked codes and those that never existed. */
export const noSuchCode = (): AppError =>
  new AppError('SERVER_NOT_FOUND', { message: 'No server has this invite code.' });

/** Tells those who see a link how often it was used. */
export function tellUses(): InsideWork {
  return insideWork(usedKind, async (change, [job]) => {
    const link = job && (await readLink(change.rows, job.data.serverId, job.data.inviteId));
    if (!link) return;
    const { id: inviteId, server_id: serverId, uses, is_open: isOpen } = link;
    for (const userId of await audienceOf(change, serverId, link.created_by)) {
      change.publish(inviteUsed.in(userRoom(userId), { serverId, inviteId, uses, isOpen }));
    }
  });
}
