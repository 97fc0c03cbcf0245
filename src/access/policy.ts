import { isDeepStrictEqual } from 'node:util';
import type { Policy, PolicyInput, PolicyMode } from '../contract/policy.ts';

/** The default (contract §4). */
export const openPolicy: Policy = { mode: 'replyAll', mentionOnly: false, reply: true, listen: true, config: {} };

/** What a bot's owner and what the server's admins have set; null: nothing. */
export interface Halves {
  owner: Policy | null;
  server: Policy | null;
}

/** What each side has set in the channel, otherwise its default for the server. */
export function within(channel: Halves, standard: Halves): Halves {
  return { owner: channel.owner ?? standard.owner, server: channel.server ?? standard.server };
}

/** The result of both: the stricter of each flag. Keys of the server's config win over the owner's. */
export function stricter({ owner, server }: Halves): Policy {
  if (!owner || !server) return owner ?? server ?? openPolicy;
  const flags = {
    mentionOnly: owner.mentionOnly || server.mentionOnly,
    reply: owner.reply && server.reply,
    listen: owner.listen && server.listen,
  };
  const asGiven = [server, owner].find((half) => hasFlags(half, flags));
  const mode = asGiven?.mode ?? modeOf(flags.reply, flags.mentionOnly);
  return { mode, ...flags, config: { ...owner.config, ...server.config } };
}

/** Whether two policies are equal. */
export function isSamePolicy(one: Policy, other: Policy): boolean {
  return one.mode === other.mode && hasFlags(one, other) && isDeepStrictEqual(one.config, other.config);
}

type Flags = Pick<Policy, 'mentionOnly' | 'reply' | 'listen'>;

function hasFlags(one: Flags, other: Flags): boolean {
  return one.mentionOnly === other.mentionOnly && one.reply === other.reply && one.listen === other.listen;
}

const flagsOf: Record<Exclude<PolicyMode, 'custom'>, Pick<Policy, 'mentionOnly' | 'reply'>> = {
  replyAll: { reply: true, mentionOnly: false },
  mentionOnly: { reply: true, mentionOnly: true },
  disabled: { reply: false, mentionOnly: false },
};

/**
 * A policy after a change. A mode other than `custom` determines the flags; without a mode the flags determine it (contract
 * §13): no reply is `disabled`, mentionOnly is `mentionOnly`, else `replyAll`.
 */
export function changedPolicy(before: Policy, input: PolicyInput): Policy {
  const config = input.config ?? before.config;
  const { mode } = input;
  if (mode !== undefined && mode !== 'custom') return { mode, ...flagsOf[mode], listen: input.listen ?? true, config };
  const listen = input.listen ?? before.listen;
  const reply = input.reply ?? before.reply;
  const mentionOnly = input.mentionOnly ?? before.mentionOnly;
  return { mode: mode ?? modeOf(reply, mentionOnly), reply, mentionOnly, listen, config };
}

function modeOf(reply: boolean, mentionOnly: boolean): PolicyMode {
  if (!reply) return 'disabled';
  return mentionOnly ? 'mentionOnly' : 'replyAll';
}
