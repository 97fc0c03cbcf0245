import { defineEntity, p } from '@mikro-orm/core';
import { Agent } from './agent.entity.ts';
import { Attachment } from './message.entity.ts';
import { ServerRole } from './role.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/**
 * In a server only some may use a command of a bot (contract §4, Commands). It has no reference to the command: it is kept
 * when the bot declares its commands anew.
 */
const CommandRuleSchema = defineEntity({
  name: 'CommandRule',
  tableName: 'command_rules',
  uniques: [{ name: 'command_rules_command', properties: ['serverId', 'agentId', 'command'] }],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    agentId: () => p.manyToOne(Agent).mapToPk().fieldName('agent_id').deleteRule('cascade').index(),
    /** In small letters; `*`: all that have no rule of their own. */
    command: p.string().columnType('text'),
    /** All moderators may use it. */
    moderators: p.boolean(),
  },
});

export class CommandRule extends CommandRuleSchema.class {}
CommandRuleSchema.setClass(CommandRule);

/** A role or a person that may use the command of a rule. */
const CommandRuleHolderSchema = defineEntity({
  name: 'CommandRuleHolder',
  tableName: 'command_rule_holders',
  indexes: [
    {
      name: 'command_rule_holders_subject',
      expression:
        'create unique index command_rule_holders_subject on command_rule_holders (rule_id, coalesce(role_id, user_id))',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    ruleId: () => p.manyToOne(CommandRule).mapToPk().fieldName('rule_id').deleteRule('cascade').index(false),
    roleId: () => p.manyToOne(ServerRole).mapToPk().fieldName('role_id').nullable().deleteRule('cascade').index(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').nullable().deleteRule('cascade').index(),
  },
});

export class CommandRuleHolder extends CommandRuleHolderSchema.class {}
CommandRuleHolderSchema.setClass(CommandRuleHolder);

/** An upload that was given to a bot with a command: the bot may read it for some days. */
const CommandFileSchema = defineEntity({
  name: 'CommandFile',
  tableName: 'command_files',
  primaryKeys: ['attachmentId', 'agentId'],
  indexes: [{ name: 'command_files_expiring', properties: ['givenAt'] }],
  properties: {
    attachmentId: () =>
      p.manyToOne(Attachment).mapToPk().fieldName('attachment_id').primary().deleteRule('cascade').index(false),
    agentId: () => p.manyToOne(Agent).mapToPk().fieldName('agent_id').primary().deleteRule('cascade').index(),
    givenAt: p.datetime(3).defaultRaw('now()'),
  },
});

export class CommandFile extends CommandFileSchema.class {}
CommandFileSchema.setClass(CommandFile);
