import { useEffect } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { Button } from '../parts/Button.tsx';
import { useLoaded } from '../parts/loading.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';

export type Raid = RestAnswer<'GET /api/servers/:id/raid'>;

/** Raid mode of a server, kept up to date. */
export function useRaid(id: string) {
  const { client, attempt } = useApp();
  const { value: raid, load, after } = useLoaded(() => client.rest('GET /api/servers/:id/raid', { id }), [id]);
  useEffect(
    () =>
      client.on('server:raid', ({ serverId }) => {
        if (serverId === id) void attempt(load);
      }),
    [id],
  );
  return { raid, after };
}

/** Switches raid mode on or off. */
export const switchTo = ({ client }: AppState, id: string, on: boolean) =>
  client.rest('POST /api/servers/:id/raid', { id, body: { on } });

/** For those who may switch raid mode, above the channels, while joins are held. */
export function RaidBanner({ server }: { server: ServerRecord }) {
  const { rights } = useApp();
  return rights.may(server, 'server:raid') ? <Banner key={server.id} server={server} /> : null;
}

function Banner({ server }: { server: ServerRecord }) {
  const { rich, t } = useTexts();
  const app = useApp();
  const { raid, after } = useRaid(server.id);
  if (!raid?.isOn) return null;
  return (
    <section class="raid" aria-label={t('Raid mode')}>
      <p role="status">
        {rich('{strong} New members wait for approval.', { strong: <strong>{t('Raid mode is on.')}</strong> })}
      </p>
      <a href={pathTo.manage(server.id, 'invites')}>{t('Who is waiting')}</a>
      <Button label={t('Switch off')} kind="quiet" onClick={() => after(() => switchTo(app, server.id, false))} />
    </section>
  );
}
