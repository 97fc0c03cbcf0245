import { parley } from './client.ts';
import { channels } from './servers.ts';
import { lose } from './timeline.ts';

/** What is taken from one while one looks on is not shown on as if it were there. */
function loseServer(serverId: string): void {
  const others = new Map(channels.value);
  for (const { id } of others.get(serverId) ?? []) lose(id);
  // Whoever comes back finds what there is by then.
  others.delete(serverId);
  channels.value = others;
}

parley.on('server:left', ({ serverId }) => loseServer(serverId));
parley.on('server:deleted', ({ serverId }) => loseServer(serverId));
parley.on('channel:member-removed', ({ channelId }) => lose(channelId));
