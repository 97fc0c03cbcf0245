import type { PolicyInput, PolicyMode } from './policy.contract.ts';

/** What a bot may do in a channel. */
export interface Policy {
  mode: PolicyMode;
  mentionOnly: boolean;
  reply: boolean;
  listen: boolean;
  config: Record<string, unknown>;
}

/** The default (contract §4). */
export const openPolicy: Policy = { mode: 'replyAll', mentionOnly: false, reply: true, listen: true, config: {} };

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
