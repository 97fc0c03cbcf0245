import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { slashCommandsUpdated } from '../../contract/agent.ts';
import {
  allCommands,
  botCommands,
  type CommandRule,
  type serverCommandsSchema,
  type setCommandRuleSchema,
} from '../../contract/command.ts';
import { AppError } from '../../contract/errors.ts';
import { requirePermission } from '../../contract/roles.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import { ServerRole } from '../../database/entities/role.entity.ts';
import { ServerMember } from '../../database/entities/server.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import { type AgentAccess, lockAgent } from '../accounts/agent.access.ts';
import { commandRecord } from '../agents/agent.profile.ts';
import type { Context } from '../context.ts';
import { lockServer } from '../members/roster.ts';
import { ruleName, rulesOf, type StoredRule } from '../messages/command-rules.table.ts';
import { channelsOfBot, dropOtherRules, dropRule, placeRule, type RulePlace } from './command.table.ts';

/** In further channels people find out when they use the command. */
const toldChannels = 200;
/** Beyond these, rules about commands that the bot no longer declares go. */
const maxRules = 100;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess'> {
  agentAccess: AgentAccess;
}

type Input = z.output<typeof setCommandRuleSchema>;

/** Who may use the commands of bots in a server (contract §4, Commands). */
export class CommandRules {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, AGENT_NOT_FOUND for a bot that is not in the server */
  async list(actor: Actor, server: string, agentId: string): Promise<z.input<typeof serverCommandsSchema>> {
    const { serverId } = await this.managed(actor, server, agentId);
    const agent = await this.deps.database.read((em) => em.findOne(Agent, agentId));
    const rules = await rulesOf(this.deps.database.rows, serverId, [agentId]);
    const commands = (agent?.slashCommands ?? []).map((command) => ({
      ...commandRecord(command),
      rule: recordIn(rules, command.name),
    }));
    return { ok: true, rule: recordIn(rules, allCommands), commands };
  }

  /**
   * Lets only some use a command, or all without a rule of their own.
   * @throws AppError like `list`, COMMAND_NOT_FOUND, ROLE_NOT_FOUND, NOT_IN_SERVER
   */
  async set(actor: Actor, server: string, agentId: string, command: string, input: Input): Promise<CommandRule> {
    const { serverId } = await this.managed(actor, server, agentId);
    return this.deps.changes.run(async (change) => {
      const agent = await this.lock(change, serverId, agentId);
      const declared = (agent.slashCommands ?? []).map(({ name }) => ruleName(name));
      const place = { serverId, agentId, command: ruleName(command) };
      if (command !== allCommands && !declared.includes(place.command)) throw new AppError('COMMAND_NOT_FOUND');
      await requireThere(change, serverId, input);
      const rules = await rulesOf(change.rows, serverId, [agentId]);
      await placeRule(change.rows, newId(), place, input);
      if (rules.length >= maxRules) await dropOtherRules(change.rows, place, [...declared, allCommands]);
      const after = recordIn(await rulesOf(change.rows, serverId, [agentId]), place.command) ?? input;
      await this.publish(change, actor, agent, place, { before: recordIn(rules, place.command), after });
      return after;
    });
  }

  /** Lets everyone use a command again, as far as no rule is for all. @throws AppError like `list` */
  async remove(actor: Actor, server: string, agentId: string, command: string): Promise<void> {
    const { serverId } = await this.managed(actor, server, agentId);
    await this.deps.changes.run(async (change) => {
      const agent = await this.lock(change, serverId, agentId);
      const place = { serverId, agentId, command: ruleName(command) };
      const before = recordIn(await rulesOf(change.rows, serverId, [agentId]), place.command);
      if (!(await dropRule(change.rows, place))) return;
      await this.publish(change, actor, agent, place, { before, after: null });
    });
  }

  private async managed(actor: Actor, server: string, agentId: string): Promise<{ serverId: string }> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'bot:set-policy');
    if (actor.user.isBot) throw new AppError('ROLE_REQUIRED', { message: 'Bots decide nothing about bots.' });
    const agent = await this.deps.agentAccess.find(agentId);
    if (!(await this.deps.serverAccess.membership(id, agent.userId))) throw new AppError('AGENT_NOT_FOUND');
    return { serverId: id };
  }

  /** Roles of a server are deleted under the same lock. */
  private async lock({ em, rows }: Change, serverId: string, agentId: string): Promise<Agent> {
    await lockServer(rows, serverId);
    return lockAgent(em, agentId);
  }

  /** Writes the change down, and has people's lists of commands read again. */
  private async publish(
    change: Change,
    actor: Actor,
    { id: agentId, userId }: Agent,
    { serverId, command }: RulePlace,
    { before, after }: { before: CommandRule | null; after: CommandRule | null },
  ): Promise<void> {
    if (isDeepStrictEqual(before, after)) return;
    const target = { kind: 'user', id: userId } as const;
    // Of fields that stay the log keeps nothing, and this one says what it is about.
    const values = after ? { before, after: { command, ...after } } : { before: { command, ...before }, after };
    change.audit(botCommands, { actor, serverId, target, ...values });
    for (const channelId of await channelsOfBot(change.rows, userId, serverId, toldChannels)) {
      change.publish(slashCommandsUpdated.in(channelRoom(channelId), { channelId, agentId }));
    }
  }
}

function recordIn(rules: StoredRule[], command: string): CommandRule | null {
  const rule = rules.find((one) => one.command === ruleName(command));
  return rule ? { moderators: rule.moderators, roleIds: rule.roleIds, userIds: rule.userIds } : null;
}

/** @throws AppError ROLE_NOT_FOUND, NOT_IN_SERVER */
async function requireThere({ em }: Change, serverId: string, { roleIds, userIds }: Input): Promise<void> {
  const roles = await em.count(ServerRole, { serverId, id: roleIds, builtIn: null });
  if (roles < roleIds.length) throw new AppError('ROLE_NOT_FOUND');
  const people = await em.count(ServerMember, { serverId, userId: userIds });
  if (people < userIds.length) throw new AppError('NOT_IN_SERVER');
}
