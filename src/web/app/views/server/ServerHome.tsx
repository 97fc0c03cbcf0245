import { useEffect, useRef, useState } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { go, isWide, pathTo, place } from '../../state/router.ts';
import { channels, currentServer, isReadable, joinPublic, serversLoaded } from '../../state/servers.ts';
import { entitle } from '../../state/title.ts';
import { attempt } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';

/**
 * On wide screens a server opens at its first channel; on a phone its list of channels is the page. Other pages of a
 * server show this, too, as long as that is not known, and stay where they are.
 */
export function ServerHome({ serverId }: { serverId: string }) {
  const list = channels.value.get(serverId);
  const first = place.value.name === 'server' ? list?.find(isReadable)?.id : undefined;
  const isBare = list !== undefined && !list.some(isReadable);
  useEffect(() => {
    if (first && isWide()) go(pathTo.channel(serverId, first), { replace: true });
  }, [first, serverId]);
  if (!currentServer.value && serversLoaded.value) return <Door serverId={serverId} />;
  return (
    <section class="blank">
      {isBare && (
        <>
          <h1>No channels yet</h1>
          <p>Those who run this server can create one.</p>
        </>
      )}
    </section>
  );
}

type Access = RestAnswer<'GET /api/servers/:id/access'>;

/** A server that one is not in, from outside. */
function Door({ serverId }: { serverId: string }) {
  const [access, setAccess] = useState<Access | null | undefined>(undefined);
  const { value: server } = useLoaded(() => openServer(serverId), [serverId]);
  useEffect(() => {
    parley.rest('GET /api/servers/:id/access', { id: serverId }).then(setAccess, () => setAccess(null));
  }, [serverId]);
  if (access === undefined) return <section class="blank" />;
  if (access === null) return <NotHere />;
  const join = () =>
    attempt(async () => {
      if (access.requiresApproval) {
        const { status } = await parley.rest('POST /api/servers/:id/join-requests', { id: serverId });
        setAccess({ ...access, joinRequestStatus: status });
      } else await joinPublic(serverId);
    });
  return (
    <section class="blank">
      <h1>{server?.name ?? 'A private server'}</h1>
      {server?.description && <p>{server.description}</p>}
      {access.joinRequestStatus === 'pending' ? (
        <p role="status">You asked to be let in. Those who run this server decide.</p>
      ) : (
        <Button label={access.requiresApproval ? 'Ask to be let in' : 'Join'} onClick={() => void join()} />
      )}
      <a href="/app/discover">Other servers</a>
    </section>
  );
}

/** What may be known from outside; null: nothing. */
const openServer = (id: string) => parley.rest('GET /api/servers/:id', { id }).catch(() => null);

function NotHere() {
  return (
    <section class="blank">
      <h1>This server is not here</h1>
      <p>It was removed, or the address is wrong.</p>
      <a class="button" href="/app/discover">
        Find servers
      </a>
    </section>
  );
}

/** A server's own page, in a frame with an origin of its own: it gets at nothing of this one. */
export function HomePage({ server }: { server: ServerRecord }) {
  const ref = useRef<HTMLIFrameElement>(null);
  const { name, homepageHtml } = server;
  useEffect(() => {
    entitle(name);
    const hand = ({ source }: MessageEvent) => {
      const stage = ref.current?.contentWindow;
      // Its origin has no name, so nobody else can be named as the one who may hear it.
      if (stage && source === stage) stage.postMessage(homepageHtml ?? '', '*');
    };
    addEventListener('message', hand);
    return () => removeEventListener('message', hand);
  }, [name, homepageHtml]);
  return (
    <section class="page">
      <header class="bar">
        <a class="icon back" href={pathTo.server(server.id)} aria-label="Back">
          <Icon name="back" />
        </a>
        <h1 class="title">
          <span class="name">{name}</span>
        </h1>
      </header>
      <iframe
        key={homepageHtml}
        ref={ref}
        title={`Home page of ${name}`}
        src="/app/stage"
        sandbox="allow-scripts allow-forms allow-popups"
        referrerpolicy="no-referrer"
      />
    </section>
  );
}
