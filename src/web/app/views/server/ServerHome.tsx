import { useEffect } from 'preact/hooks';
import { go, pathTo } from '../../state/router.ts';
import { channels, currentServer, serversLoaded } from '../../state/servers.ts';

/** On wide screens a server opens at its first channel; on a phone its list of channels is the page. */
export function ServerHome({ serverId }: { serverId: string }) {
  const list = channels.value.get(serverId);
  const first = list?.[0]?.id;
  useEffect(() => {
    const wide = matchMedia('(min-width: 700px)').matches;
    if (first && wide) go(pathTo.channel(serverId, first), { replace: true });
  }, [first, serverId]);
  if (!currentServer.value && serversLoaded.value) {
    return (
      <section class="blank">
        <h1>This server is not here</h1>
        <p>You are not a member of it, or it was removed.</p>
      </section>
    );
  }
  return (
    <section class="blank">
      {list?.length === 0 && (
        <>
          <h1>No channels yet</h1>
          <p>Those who run this server can create one.</p>
        </>
      )}
    </section>
  );
}
