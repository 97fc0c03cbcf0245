import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { type Room, streamId } from '../../../contract/rooms.ts';
import type { Database } from '../../../database/database.ts';
import { noteGiven, notePoll, playedFeed } from './feed.table.ts';

/** Where a poll reads. */
export interface Turn {
  after: number | undefined;
  /** Where its log ends; null: it goes on. */
  upTo: number | null;
  /** It is not where its client thinks: that is told to read on from `after`. */
  isSentBack: boolean;
}

/** Where bots are in the logs that they poll: noted for their owners, who may send them back (contract §4). */
export class PollPlaces {
  private readonly database: Pick<Database, 'rows'>;

  constructor(database: Pick<Database, 'rows'>) {
    this.database = database;
  }

  /**
   * A poll that comes with a position; nothing is asked for people.
   * @param isNoted whether it is the bot that follows the log: nobody else moves its place, or is sent back for it
   * @throws AppError CHANNEL_NOT_FOUND for a rehearsal in a channel that the bot has entered since
   */
  async turn({ agent }: Actor, room: Room, after: number | undefined, isNoted: boolean): Promise<Turn> {
    const going = { after, upTo: null, isSentBack: false };
    if (!agent) return going;
    if (agent.rehearsalId) return this.rehearsing(agent.rehearsalId, room, after, isNoted);
    if (after === undefined || !isNoted) return going;
    const replayAfter = await notePoll(this.database.rows, agent.id, streamId(room), after);
    return replayAfter === null ? going : { after: replayAfter, upTo: null, isSentBack: true };
  }

  /** A rehearsing bot was given a room's events up to this number. */
  async given({ agent }: Actor, room: Room, seq: number): Promise<void> {
    if (agent?.rehearsalId) await noteGiven(this.database.rows, agent.rehearsalId, streamId(room), seq);
  }

  /** Whoever comes from elsewhere than from what was given, first of all from the log's present end, begins where it is played from. */
  private async rehearsing(
    rehearsalId: string,
    room: Room,
    after: number | undefined,
    isNoted: boolean,
  ): Promise<Turn> {
    const { rows } = this.database;
    const feed = await playedFeed(rows, rehearsalId, streamId(room));
    if (!feed) throw new AppError('CHANNEL_NOT_FOUND');
    const { from, until, given } = feed;
    const isInPlace = given !== null && after !== undefined && after >= from && after <= given;
    if (isInPlace || !isNoted) return { after, upTo: until, isSentBack: false };
    await noteGiven(rows, rehearsalId, streamId(room), from);
    return { after: from, upTo: until, isSentBack: true };
  }
}
