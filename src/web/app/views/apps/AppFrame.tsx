import { useEffect } from 'preact/hooks';
import { parley } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { entitle } from '../../state/title.ts';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded } from '../parts/loading.ts';
import type { AppRecord } from './Apps.tsx';

/** Where an app is served: in a cage of its own, without the powers of this page. */
const addressOf = ({ id, serverId, slug, type }: AppRecord): string =>
  type === 'url' ? `/api/app-proxy/${id}/` : `/api/servers/${serverId}/apps/${slug}/serve/`;

/** An app, running. Its frame has an origin of its own, whatever the app does. */
export function AppFrame({ serverId, appId }: { serverId: string; appId: string }) {
  const { value: app } = useLoaded(
    () => parley.rest('GET /api/servers/:serverId/apps/:appId', { serverId, appId }),
    [serverId, appId],
  );
  const name = app?.name ?? 'App';
  useEffect(() => entitle(name), [name]);
  return (
    <section class="page">
      <header class="bar">
        <a class="icon" href={pathTo.apps(serverId)} aria-label="All apps" title="All apps">
          <Icon name="back" />
        </a>
        <h1 class="title">
          <span class="name">{name}</span>
        </h1>
        <span class="space" />
        {app && <OwnTab href={addressOf(app)} />}
      </header>
      {app && (
        <iframe
          class="app"
          title={app.name}
          src={addressOf(app)}
          sandbox="allow-scripts allow-forms allow-popups"
          referrerpolicy="no-referrer"
        />
      )}
    </section>
  );
}

function OwnTab({ href }: { href: string }) {
  const label = 'Open in a tab of its own';
  return (
    <a class="icon" href={href} target="_blank" rel="noopener" aria-label={label} title={label}>
      <Icon name="open" />
    </a>
  );
}
