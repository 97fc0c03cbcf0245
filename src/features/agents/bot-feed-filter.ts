import type { PolicyAccess } from '../../access/policy.access.ts';
import type { LogEntry } from '../../cluster/entry.ts';
import type { Actor } from '../../contract/actor.ts';
import { type Room, streamId } from '../../contract/rooms.ts';
import type { FeedFilter, Heard } from '../../delivery/feed-filter.ts';
import type { CommandDirectory } from '../messages/command-directory.ts';
import { withoutQuote } from '../messages/message.reader.ts';
import type { Concerns } from './concerns.ts';

/** Limits the feeds of bots to what their policies allow (contract §4). */
export class BotFeedFilter implements FeedFilter {
  private readonly policies: PolicyAccess;
  private readonly concerns: Concerns;
  private readonly commands: CommandDirectory;

  constructor(policies: PolicyAccess, concerns: Concerns, commands: CommandDirectory) {
    this.policies = policies;
    this.concerns = concerns;
    this.commands = commands;
  }

  isRestricted(actor: Actor, room: string): boolean {
    return actor.user.isBot && !room.startsWith('user:');
  }

  /** A bot that may not listen still gets the commands that it has declared, unless it is disabled. */
  async passes(actor: Actor, room: Room): Promise<boolean> {
    if (!this.isRestricted(actor, room)) return true;
    const policy = await this.policies.effective(actor.userId, streamId(room));
    return policy.listen || (policy.mode !== 'disabled' && this.commands.hasAny(streamId(room), actor.userId));
  }

  async heard(actor: Actor, room: Room, entries: LogEntry[]): Promise<Heard> {
    if (!this.isRestricted(actor, room)) return { entries, whole: true };
    const channelId = streamId(room);
    for (;;) {
      const policy = await this.policies.effective(actor.userId, channelId);
      const whole = policy.listen && !policy.mentionOnly;
      let heard = whole ? entries : [];
      if (policy.listen && policy.mentionOnly) {
        const among = await this.concerns.among(actor.userId, channelId, entries);
        heard = among.map((entry) => withoutQuote(entry, actor.userId));
      }
      if (!policy.listen && policy.mode !== 'disabled')
        heard = await this.concerns.commanding(actor.userId, channelId, entries);
      // A policy change answered meanwhile must already apply to these entries.
      if (this.policies.stillHolds(actor.userId, channelId, policy)) return { entries: heard, whole };
    }
  }
}
