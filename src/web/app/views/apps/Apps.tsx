import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { pathTo } from '../../state/router.ts';
import { attempt } from '../../state/toasts.ts';

type AppRecord = RestAnswer<'GET /api/servers/:serverId/apps'>['items'][number];

/** Where an app is served: in a cage of its own, without the powers of this page. */
const addressOf = ({ id, serverId, slug, type }: AppRecord): string =>
  type === 'url' ? `/api/app-proxy/${id}/` : `/api/servers/${serverId}/apps/${slug}/serve/`;

export function Apps({ serverId }: { serverId: string }) {
  const [list, setList] = useState<AppRecord[] | null>(null);
  useEffect(() => {
    void attempt(async () =>
      setList((await parley.rest('GET /api/servers/:serverId/apps', { serverId, query: {} })).items),
    );
  }, [serverId]);
  return (
    <section class="page">
      <header class="bar">
        <a class="icon back" href={pathTo.server(serverId)} aria-label="Back">
          ‹
        </a>
        <h1 class="title">Apps</h1>
      </header>
      <div class="body">
        {list?.length === 0 && <p class="empty">This server has no apps yet.</p>}
        <ul class="people">
          {list?.map((app) => (
            <li key={app.id}>
              <span class="who">
                <span class="name">{app.name}</span>
                <span class="faint">{app.description ?? app.slug}</span>
              </span>
              {app.status === 'active' && (
                <a class="button" href={addressOf(app)} target="_blank" rel="noopener">
                  Open
                </a>
              )}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
