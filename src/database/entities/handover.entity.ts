import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Agent } from './agent.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** An open offer to hand a server or an agent over, to someone who has to accept (contract §5). */
const HandoverSchema = defineEntity({
  name: 'Handover',
  tableName: 'handovers',
  indexes: [
    { name: 'handovers_to', properties: ['toId'] },
    { name: 'handovers_from', properties: ['fromId'] },
    { name: 'handovers_over', properties: ['expiresAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    /** Either a server or an agent. */
    serverId: () => p.oneToOne(Server).mapToPk().fieldName('server_id').nullable().deleteRule('cascade').owner(),
    agentId: () => p.oneToOne(Agent).mapToPk().fieldName('agent_id').nullable().deleteRule('cascade').owner(),
    fromId: () => p.manyToOne(User).mapToPk().fieldName('from_id').deleteRule('cascade').index(false),
    toId: () => p.manyToOne(User).mapToPk().fieldName('to_id').deleteRule('cascade').index(false),
    createdAt: p.datetime(3).onCreate(dateNow),
    expiresAt: p.datetime(3),
  },
});

export class Handover extends HandoverSchema.class {}
HandoverSchema.setClass(Handover);
