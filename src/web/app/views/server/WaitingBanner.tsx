import { useEffect } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { useLoaded } from '../parts/loading.ts';
import { useApp, useTexts } from '../useApp.ts';

/** Whether something waits for the user's decision. */
interface Waiting {
  held: boolean;
  reports: boolean;
}

/** How many of the newest open reports are looked through for one that the moderators decide. */
const looked = 50;

/** What waits in a server for those who decide it, kept up to date. */
function useWaiting(server: ServerRecord): Waiting | null {
  const { client, rights, attempt } = useApp();
  const { id } = server;
  const [decidesHeld, decidesReports] = [rights.may(server, 'held:decide'), rights.may(server, 'report:decide')];
  const read = async (): Promise<Waiting> => {
    const [held, reports] = await Promise.all([
      decidesHeld ? client.rest('GET /api/servers/:id/held', { id, query: { limit: 1 } }) : [],
      decidesReports
        ? client.rest('GET /api/servers/:id/reports', { id, query: { status: 'open', limit: looked } })
        : [],
    ]);
    return { held: held.length > 0, reports: reports.some(({ toOperators }) => !toOperators) };
  };
  const { value, load, update } = useLoaded(read, [id, decidesHeld, decidesReports]);
  useEffect(() => {
    const again = () => void attempt(load);
    // A flood of them asks for nothing.
    const off = [
      client.on('held:created', ({ serverId }) => void (serverId === id && update((now) => ({ ...now, held: true })))),
      client.on('held:decided', ({ serverId }) => void (serverId === id && again())),
      client.on('report:created', ({ report }) => void (report.serverId === id && again())),
      client.on('report:updated', ({ report }) => void (report.serverId === id && report.status !== 'open' && again())),
    ];
    return () => {
      for (const end of off) end();
    };
  }, [id, decidesHeld, decidesReports]);
  return value;
}

/** For those who decide, above the channels, while something waits for them. */
export function WaitingBanner({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const waiting = useWaiting(server);
  if (!waiting?.held && !waiting?.reports) return null;
  return (
    <section class="raid decisions" aria-label={t('Waiting for a decision')}>
      <p role="status">{t('Something is waiting for a decision.')}</p>
      {waiting.reports && <a href={pathTo.manage(server.id, 'reports')}>{t('Reports')}</a>}
      {waiting.held && <a href={pathTo.manage(server.id, 'held')}>{t('Held messages')}</a>}
    </section>
  );
}
