import type { Gateway } from '../../../gateway/gateway.ts';
import type { AgentIdentity } from '../../accounts/agent.identity.ts';
import type { Identity } from '../../accounts/identity.ts';
import type { Context } from '../../context.ts';
import type { Filters } from '../../filters/filters.ts';
import type { LoopGuard } from '../../messages/loop-guard.ts';
import type { MessageService } from '../../messages/message.service.ts';
import { StreamEnds } from './stream.ends.ts';
import { StreamEvents } from './stream.events.ts';
import { connectStreams, streamHandlers } from './stream.gateway.ts';
import { StreamLeases } from './stream.leases.ts';
import { StreamList } from './stream.list.ts';
import { streamRoutes } from './stream.routes.ts';
import { ReplyStreams } from './stream.service.ts';
import { StreamStore } from './stream.store.ts';

interface Below extends Context {
  identity: Identity;
  agentIdentity: AgentIdentity;
  filters: Filters;
  loopGuard: LoopGuard;
  messages: MessageService;
}

/** Replies in progress: their pieces, the text so far, their ends, and who is shown them (contract §9). */
export function createStreams(parts: Below) {
  const { database, redis, settings, ephemeral, log } = parts;
  const store = new StreamStore(database, redis, settings.agents.streamIdleSeconds * 1000);
  const leases = new StreamLeases(redis, (place) => {
    ends.abandon(place).catch((error) => log.warn({ err: error }, 'A reply of a dead node could not be ended.'));
  });
  const below = { ...parts, store, leases, events: new StreamEvents(ephemeral) };
  const service = new ReplyStreams(below);
  const ends = new StreamEnds({ ...below, streams: service });
  const list = new StreamList({ ...below, streams: service });
  return {
    service,
    ends,
    routes: streamRoutes({ ...parts, streams: service }, list, ends),
    handlers: () => streamHandlers(service, ends),
    connect: (gateway: Gateway) => connectStreams(gateway, list),
    /** For nodes with sockets: others have nobody to notify of the end. */
    start() {
      leases.start();
      store.start();
    },
    async close() {
      leases.close();
      service.close();
      await store.close();
    },
  };
}
