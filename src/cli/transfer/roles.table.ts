import { z } from 'zod';
import { allCommands } from '../../contract/command.ts';
import { commandName } from '../../contract/command-option.ts';
import { createRoleSchema } from '../../contract/role.ts';
import { builtInRoles, grantable, rightNames } from '../../contract/roles.ts';
import { id, label, part, serverChannels, smallCount, times } from './part.ts';

const permissions = z.array(z.enum(grantable)).max(grantable.length);
const rights = z.array(z.enum(rightNames)).max(rightNames.length);

export const serverRoles = part({
  table: 'server_roles',
  shape: z.object({
    id,
    serverId: id,
    builtIn: z.enum(builtInRoles).nullable(),
    name: label(100),
    color: createRoleSchema.shape.color.unwrap().unwrap().nullable(),
    position: smallCount,
    permissions,
    ...times,
  }),
  from: 'server_roles t WHERE t.server_id = $1 ORDER BY t.id',
  refers: { serverId: 'servers' },
});

export const memberRoles = part({
  table: 'member_roles',
  shape: z.object({ roleId: id, userId: id, serverId: id }),
  from: 'member_roles t WHERE t.server_id = $1 ORDER BY t.role_id, t.user_id',
  refers: { roleId: 'server_roles', userId: 'users', serverId: 'servers' },
});

export const channelOverrides = part({
  table: 'channel_overrides',
  shape: z.object({
    id,
    channelId: id,
    builtIn: z.enum(builtInRoles).nullable(),
    roleId: id.nullable(),
    userId: id.nullable(),
    allow: rights,
    deny: rights,
  }),
  from: 'channel_overrides t JOIN channels c ON c.id = t.channel_id WHERE c.server_id = $1 ORDER BY t.id',
  refers: { channelId: serverChannels, roleId: 'server_roles', userId: 'users' },
});

export const commandRules = part({
  table: 'command_rules',
  shape: z.object({
    id,
    serverId: id,
    agentId: id,
    command: z.union([z.literal(allCommands), commandName]),
    moderators: z.boolean(),
  }),
  from: 'command_rules t WHERE t.server_id = $1 ORDER BY t.id',
  refers: { serverId: 'servers', agentId: 'agents' },
});

export const commandRuleHolders = part({
  table: 'command_rule_holders',
  shape: z.object({ id, ruleId: id, roleId: id.nullable(), userId: id.nullable() }),
  from: 'command_rule_holders t JOIN command_rules r ON r.id = t.rule_id WHERE r.server_id = $1 ORDER BY t.id',
  refers: { ruleId: 'command_rules', roleId: 'server_roles', userId: 'users' },
});
