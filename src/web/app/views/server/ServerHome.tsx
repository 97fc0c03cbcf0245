import { useEffect, useRef, useState } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { isWide } from '../../browser.ts';
import { sectionsOf } from '../../state/categories.ts';
import { pathTo } from '../../state/router.ts';
import { isReadable } from '../../state/servers.ts';
import { Banner } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { useLoaded } from '../parts/loading.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';

const CreateChannel = lazyDialog(() => import('./ChannelDialogs.tsx').then((part) => part.CreateChannel));

/**
 * On wide screens a server opens at its first channel; on a phone its list of channels is the page. Other pages of a
 * server show this too until the server is loaded, and do not navigate.
 */
export function ServerHome({ serverId }: { serverId: string }) {
  const { t } = useTexts();
  const { servers, categories, route, navigate, rights } = useApp();
  const [creating, setCreating] = useState(false);
  const server = servers.current.value;
  const list = servers.channels.value.get(serverId);
  const [first] =
    list && route.value.name === 'server'
      ? sectionsOf({ serverId, channels: list.filter(isReadable), categories: categories.of(serverId), favorites: [] })
          .flatMap(({ channels }) => channels)
          .map(({ id }) => id)
      : [];
  const isBare = list !== undefined && !list.some(isReadable);
  useEffect(() => {
    if (first && isWide()) navigate(pathTo.channel(serverId, first), { replace: true });
  }, [first, serverId]);
  if (!servers.current.value && servers.loaded.value) return <OutsideServer serverId={serverId} />;
  return (
    <section class="blank">
      {isBare && (
        <>
          <h1>{t('No channels yet')}</h1>
          {server && rights.may(server, 'channel:create') ? (
            <Button label={t('Create a channel')} onClick={() => setCreating(true)} />
          ) : (
            <p>{t('The people who run this server can create one.')}</p>
          )}
          {creating && <CreateChannel serverId={serverId} onClose={() => setCreating(false)} />}
        </>
      )}
    </section>
  );
}

type Access = RestAnswer<'GET /api/servers/:id/access'>;

/** A server that the user is not a member of. */
function OutsideServer({ serverId }: { serverId: string }) {
  const { t } = useTexts();
  const app = useApp();
  const { client, attempt, servers } = app;
  const [access, setAccess] = useState<Access | null | undefined>(undefined);
  const { value: server } = useLoaded(() => openServer(app, serverId), [serverId]);
  useEffect(() => {
    const read = () => {
      client.rest('GET /api/servers/:id/access', { id: serverId }).then(setAccess, () => setAccess(null));
    };
    read();
    return client.on('join-request:decided', read);
  }, [serverId]);
  if (access === undefined) return <section class="blank" />;
  if (access === null) return <ServerNotFound />;
  const join = () =>
    attempt(async () => {
      if (access.requiresApproval) {
        const { status } = await client.rest('POST /api/servers/:id/join-requests', { id: serverId });
        setAccess({ ...access, joinRequestStatus: status });
      } else {
        const { status } = await servers.joinPublic(serverId);
        if (status === 'pending') setAccess({ ...access, joinRequestStatus: status });
      }
    });
  return (
    <section class="blank">
      {server && <Banner server={server} />}
      <h1>{server?.name ?? t('A private server')}</h1>
      {server?.description && <p>{server.description}</p>}
      {access.joinRequestStatus === 'pending' ? (
        <p role="status">{t('You asked to join. The people who run this server decide.')}</p>
      ) : (
        <Button label={access.requiresApproval ? t('Ask to join') : t('Join')} onClick={() => void join()} />
      )}
      <a href="/app/discover">{t('Other servers')}</a>
    </section>
  );
}

/** The public record of a server; null: there is none. */
const openServer = (app: AppState, id: string) => app.client.rest('GET /api/servers/:id', { id }).catch(() => null);

function ServerNotFound() {
  const { t } = useTexts();
  return (
    <section class="blank">
      <h1>{t('Server not found')}</h1>
      <p>{t('It was removed, or the address is wrong.')}</p>
      <a class="button" href="/app/discover">
        {t('Find servers')}
      </a>
    </section>
  );
}

/** A server's own page, in a frame with an origin of its own: it has no access to this page. */
export function HomePage({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { setTitle } = useApp();
  const ref = useRef<HTMLIFrameElement>(null);
  const { name, homepageHtml } = server;
  useEffect(() => {
    setTitle(name);
    const hand = ({ source }: MessageEvent) => {
      const stage = ref.current?.contentWindow;
      // Its origin is opaque, so no target origin can be given.
      if (stage && source === stage) stage.postMessage(homepageHtml ?? '', '*');
    };
    addEventListener('message', hand);
    return () => removeEventListener('message', hand);
  }, [name, homepageHtml]);
  return (
    <section class="page">
      <header class="bar">
        <a class="icon back" href={pathTo.server(server.id)} aria-label={t('Back')}>
          <Icon name="back" />
        </a>
        <h1 class="title">
          <span class="name">{name}</span>
        </h1>
      </header>
      <iframe
        key={homepageHtml}
        ref={ref}
        title={t('Home page of {name}', { name })}
        src="/app/stage"
        sandbox="allow-scripts allow-forms allow-popups"
        referrerpolicy="no-referrer"
      />
    </section>
  );
}
