import { channelMemberAdded } from '../channels/channel.contract.ts';
import type { Control } from '../delivery/control.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { streamId } from '../delivery/entry.ts';
import { AppError } from '../errors.ts';
import { tellOne } from '../gateway/frames.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { type Handler, handler } from '../gateway/handler.ts';
import { heartbeatAnswerSchema, heartbeatSchema } from './agent.contract.ts';
import type { AgentSeats } from './agent.seats.ts';
import type { AgentService } from './agent.service.ts';
import type { AgentWatch } from './agent.watch.ts';
import type { PolicyAccess } from './policies/policy.access.ts';
import { policyChanged } from './policies/policy.contract.ts';

/** A bot may send nothing at all with its heartbeat; not every Socket.IO client can tell that from null. */
const heartbeatEvent = heartbeatSchema.nullish();

export function agentHandlers(agents: AgentService): Handler[] {
  return [
    handler({
      event: 'agent:heartbeat',
      summary: "The bot's own heartbeat: it is alive. It may report trouble (`error`).",
      tag: 'Agents',
      payload: heartbeatEvent,
      ack: heartbeatAnswerSchema,
      errors: ['AGENT_NOT_FOUND', 'AGENT_STOPPED', 'FORBIDDEN'],
      limit: 'events',
      async handle({ actor, payload }) {
        if (!actor.agent) throw new AppError('FORBIDDEN', { message: 'Only bots have heartbeats.' });
        return agents.heartbeat(actor, actor.agent.id, payload ?? {});
      },
    }),
  ];
}

/** What a node has to do for the bots that are connected to it. */
export function attendBots(
  gateway: Gateway,
  parts: { control: Control; delivery: Delivery; watch: AgentWatch; policies: PolicyAccess; seats: AgentSeats },
): void {
  const { control, delivery, watch, policies, seats } = parts;
  gateway.onConnection(async (socket) => {
    const { agent, userId } = socket.data.actor;
    if (!agent) return;
    socket.once('disconnect', watch.came(agent.id, socket.data));
    // A connection that Socket.IO recovered knows its rooms, and they know it.
    if (socket.recovered) return;
    for (const existing of await seats.existing(userId))
      tellOne(socket, channelMemberAdded.name, JSON.stringify(existing));
  });
  control.handle({ hearing: ({ userId }) => gateway.membership.placeAnew(userId) });
  // Where that order was lost, the event of the same change arrives all the same, by way of the sweep.
  delivery.observe((entry) => {
    if (entry.event !== policyChanged.name) return;
    policies.forgetHere();
    // A bot that cannot be placed now is placed with the next event that it is fed.
    gateway.membership.placeAnew(streamId(entry.room)).catch(() => {});
  });
}
