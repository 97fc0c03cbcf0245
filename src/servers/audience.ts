import type { Role } from '../access/roles.ts';
import type { Rows } from '../database/database.ts';
import type { Change, Changes } from '../delivery/changes.ts';
import type { Draft } from '../delivery/entry.ts';
import type { Log } from '../infrastructure/log.ts';

/** A join or a leave of a server is told in so many of its channels at most. */
const announcedChannels = 200;
/** So many members are told in the transaction of the change itself, and so many in each that follows. */
const toldAtOnce = 1000;

interface Listener {
  userId: string;
  role: Role;
}

/** Who hears of what happens to a server (contract §9). Bots hear of the channels that they are in. */
export class Audience {
  private readonly changes: Changes;
  private readonly log: Log;

  constructor(changes: Changes, log: Log) {
    this.changes = changes;
    this.log = log;
  }

  /** The channels of a server in which its comings and goings are told. */
  async announcedIn(rows: Rows, serverId: string): Promise<string[]> {
    const channels = await rows<{ id: string }>(
      `SELECT id FROM channels WHERE server_id = $1 AND NOT is_private AND NOT is_archived
       ORDER BY position, created_at LIMIT $2`,
      [serverId, announcedChannels],
    );
    return channels.map((channel) => channel.id);
  }

  /**
   * Tells the people of a server something, each in the own room. In servers of ordinary size that is part of the
   * change; those of large ones are told in portions right after it, so that no one waits for a lock on all of them.
   */
  async tell(change: Change, serverId: string, draft: (listener: Listener) => Draft): Promise<void> {
    const people = await this.people(change.rows, serverId);
    for (const listener of people.slice(0, toldAtOnce)) change.publish(draft(listener));
    const others = people.slice(toldAtOnce);
    if (others.length > 0) change.afterCommit(() => void this.tellInPortions(others, draft));
  }

  /** Everyone who hears of a server. */
  people(rows: Rows, serverId: string): Promise<Listener[]> {
    return rows<Listener>(
      `SELECT m.user_id AS "userId", m.role FROM server_members m JOIN users u ON u.id = m.user_id
       WHERE m.server_id = $1 AND NOT u.is_bot ORDER BY m.user_id`,
      [serverId],
    );
  }

  private async tellInPortions(people: Listener[], draft: (listener: Listener) => Draft): Promise<void> {
    try {
      for (let at = 0; at < people.length; at += toldAtOnce) {
        const portion = people.slice(at, at + toldAtOnce);
        await this.changes.run(async (change) => {
          for (const listener of portion) change.publish(draft(listener));
        });
      }
    } catch (error) {
      this.log.warn({ err: error }, 'Not everyone in a large server could be told of a change.');
    }
  }
}

/** Those who decide for a server: its owner and admins. */
export async function deciders(rows: Rows, serverId: string): Promise<string[]> {
  const people = await rows<{ user_id: string }>(
    "SELECT user_id FROM server_members WHERE server_id = $1 AND role IN ('owner', 'admin') ORDER BY user_id LIMIT 200",
    [serverId],
  );
  return people.map((person) => person.user_id);
}
