import type { PolicyAccess } from '../../access/policy.access.ts';
import type { Control } from '../../cluster/control.ts';
import { agentClientEvents } from '../../contract/agent.ts';
import { channelMemberAdded } from '../../contract/channel.ts';
import { policyChanged } from '../../contract/policy.ts';
import { streamId } from '../../contract/rooms.ts';
import type { Delivery } from '../../delivery/delivery.ts';
import { emitTo } from '../../gateway/frames.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { AgentMemberships } from './agent.memberships.ts';
import type { AgentService } from './agent.service.ts';
import type { AgentWatch } from './agent.watch.ts';

export function agentHandlers(agents: AgentService): Handler[] {
  return handlers(agentClientEvents, {
    'agent:heartbeat': ({ actor, payload }) => agents.ownHeartbeat(actor, payload ?? {}),
  });
}

/** What a node does for the bots that are connected to it. */
export function connectBots(
  gateway: Gateway,
  parts: {
    control: Control;
    delivery: Delivery;
    watch: AgentWatch;
    policies: PolicyAccess;
    memberships: AgentMemberships;
  },
): void {
  const { control, delivery, watch, policies, memberships } = parts;
  gateway.onConnection(async (socket) => {
    const { agent, userId } = socket.data.actor;
    if (!agent) return;
    socket.once('disconnect', watch.came(agent.id, socket.data));
    // A connection that Socket.IO recovered is already back in its rooms.
    if (socket.recovered) return;
    for (const existing of await memberships.existing(userId))
      emitTo(socket, channelMemberAdded.name, JSON.stringify(existing));
  });
  control.handle({ hearing: ({ userId }) => gateway.subscriptions.filterChanged(userId) });
  // If that control message was lost, the event of the same change still arrives, through the sweep.
  delivery.observe((entry) => {
    if (entry.event !== policyChanged.name) return;
    policies.forgetHere();
    // If that fails now, it is retried with the bot's next event.
    gateway.subscriptions.filterChanged(streamId(entry.room)).catch(() => {});
  });
}
