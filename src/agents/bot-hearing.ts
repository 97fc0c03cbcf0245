import type { Actor } from '../access/actor.ts';
import { type LogEntry, type Room, streamId } from '../delivery/entry.ts';
import type { Heard, Hearing } from '../delivery/hearing.ts';
import type { Concerns } from './concerns.ts';
import type { PolicyAccess } from './policies/policy.access.ts';

/** Limits bots to what their policies let them hear (contract §4). */
export class BotHearing implements Hearing {
  private readonly policies: PolicyAccess;
  private readonly concerns: Concerns;

  constructor(policies: PolicyAccess, concerns: Concerns) {
    this.policies = policies;
    this.concerns = concerns;
  }

  isRestricted(actor: Actor, room: string): boolean {
    return actor.user.isBot && !room.startsWith('user:');
  }

  async heard(actor: Actor, room: Room, entries: LogEntry[]): Promise<Heard> {
    if (!this.isRestricted(actor, room)) return { entries, whole: true };
    const channelId = streamId(room);
    for (;;) {
      const policy = await this.policies.effective(actor.userId, channelId);
      const whole = policy.listen && !policy.mentionOnly;
      let heard = whole ? entries : [];
      if (policy.listen && policy.mentionOnly) heard = await this.concerns.among(actor.userId, channelId, entries);
      // A change that was answered meanwhile must apply to these already.
      if (this.policies.stillHolds(actor.userId, channelId, policy)) return { entries: heard, whole };
    }
  }
}
