import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type EphemeralRecord, ephemeralRemoved } from '../../contract/interaction.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Context } from '../context.ts';
import { ephemeralTable } from './ephemeral.table.ts';
import { ephemeralRecord } from './interaction.view.ts';

/** Replies of bots for one person, as that person has them (contract §6, Interactions). */
export class EphemeralService {
  private readonly deps: Pick<Context, 'database' | 'changes'>;

  constructor(deps: EphemeralService['deps']) {
    this.deps = deps;
  }

  /** Those that the actor has not dismissed, oldest first. */
  async list(actor: Actor): Promise<EphemeralRecord[]> {
    return (await ephemeralTable.ofUser(this.deps.database.rows, actor.userId)).map(ephemeralRecord).reverse();
  }

  /** Removes one from all of the actor's devices. @throws AppError EPHEMERAL_NOT_FOUND */
  async dismiss(actor: Actor, id: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const channelId = await ephemeralTable.dismiss(change.rows, id, actor.userId);
      if (channelId === undefined) throw new AppError('EPHEMERAL_NOT_FOUND');
      change.publish(ephemeralRemoved.in(userRoom(actor.userId), { id, channelId }));
    });
  }
}
