import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { Button, More } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Empty } from '../parts/Empty.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded, usePages } from '../parts/loading.ts';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Page } from '../parts/Page.tsx';
import { Picture } from '../parts/Picture.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { EditApp, NewApp } from './AppForms.tsx';

export type AppRecord = RestAnswer<'GET /api/servers/:serverId/apps'>['items'][number];

/** The page size. */
const pageSize = 50;

/** The apps of a server, or one of them. */
export function Apps({ serverId, appId }: { serverId: string; appId: string | null }) {
  if (appId) return <AppFrame key={appId} serverId={serverId} appId={appId} />;
  return <AppList serverId={serverId} />;
}

function AppList({ serverId }: { serverId: string }) {
  const { t } = useTexts();
  const { client, servers, rights } = useApp();
  const [creating, setCreating] = useState(false);
  const { list, load, onMore } = usePages<AppRecord>(
    pageSize,
    async ({ length: offset }) => {
      const query = { limit: pageSize, offset };
      return (await client.rest('GET /api/servers/:serverId/apps', { serverId, query })).items;
    },
    [serverId],
  );
  const manages = rights.may(servers.current.value, 'app:manage');
  const create = <Button label={t('New app')} onClick={() => setCreating(true)} />;
  return (
    <Page title={t('Apps')} back={pathTo.server(serverId)} actions={manages && create}>
      {list?.length === 0 && (
        <Empty icon="app" title={t('No apps yet')} about={t('Pages and web apps for everyone in this server.')} />
      )}
      <ul class="cards">
        {list?.map((app) => (
          <Card key={app.id} record={app} manages={manages} onChange={load} />
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
      {creating && <NewApp serverId={serverId} onDone={load} onClose={() => setCreating(false)} />}
    </Page>
  );
}

interface CardProps {
  record: AppRecord;
  manages: boolean;
  onChange(): Promise<void>;
}

function Card({ record, manages, onChange }: CardProps) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { attempt, client } = app;
  const [asking, setAsking] = useState<'edit' | 'delete' | null>(null);
  const params = { serverId: record.serverId, appId: record.id };
  const close = () => setAsking(null);
  const remove = () => attempt(() => client.rest('DELETE /api/servers/:serverId/apps/:appId', params).then(onChange));
  return (
    <li>
      <span class="server" aria-hidden="true">
        <Picture url={record.iconUrl}>
          <Icon name="app" />
        </Picture>
      </span>
      <strong class="name">{record.name}</strong>
      <Actions record={record} items={manages ? actionsFor(texts, app, record, setAsking, onChange) : []} />
      <p class="faint">{record.description}</p>
      <footer>
        <span class="faint">{stateOf(texts, record)}</span>
        {record.status === 'active' && (
          <a class="button" href={pathTo.app(record.serverId, record.slug)}>
            {t('Open')}
          </a>
        )}
      </footer>
      {asking === 'edit' && <EditApp app={record} onDone={onChange} onClose={close} />}
      {asking === 'delete' && (
        <Confirm
          title={t('Delete {name}?', { name: record.name })}
          text={t('It is deleted for everyone. The files that it was made from stay.')}
          action={t('Delete')}
          onClose={close}
          onConfirm={() => void remove()}
        />
      )}
    </li>
  );
}

/** What can be done about an app; anyone but who made it may report it. */
function Actions({ record, items = [] }: { record: AppRecord; items?: MenuItem[] }) {
  const { t } = useTexts();
  const { me, reporting } = useApp();
  const { id: appId, serverId, name, createdBy } = record;
  const report = () => reporting.open({ what: { kind: 'app', serverId, appId }, name });
  const isOwn = createdBy === me.value?.id;
  const all: MenuItem[] = isOwn ? items : [...items, { label: t('Report'), icon: 'shield', run: report }];
  if (all.length === 0) return null;
  return (
    <Menu label={t('Actions for {name}', { name })} items={all}>
      <Icon name="more" />
    </Menu>
  );
}

function stateOf({ t }: Texts, { status, isHomepage, version }: AppRecord): string {
  if (status !== 'active') return status === 'draft' ? t('Draft') : t('Archived');
  return isHomepage ? t('Home page · version {version}', { version }) : t('Version {version}', { version });
}

function actionsFor(
  { t }: Texts,
  app: AppState,
  record: AppRecord,
  ask: (what: 'edit' | 'delete') => void,
  onChange: () => Promise<void>,
): MenuItem[] {
  const params = { serverId: record.serverId, appId: record.id };
  const change = (body: { isHomepage?: boolean; status?: AppRecord['status'] }) => () =>
    void app.attempt(() =>
      app.client.rest('PATCH /api/servers/:serverId/apps/:appId', { ...params, body }).then(onChange),
    );
  return [
    { label: t('Edit'), icon: 'edit', run: () => ask('edit') },
    {
      label: record.isHomepage ? t('No longer the home page') : t('Make it the home page'),
      icon: 'home',
      run: change({ isHomepage: !record.isHomepage }),
    },
    record.status === 'active'
      ? { label: t('Archive'), icon: 'archive', run: change({ status: 'archived' }) }
      : { label: t('Activate'), icon: 'check', run: change({ status: 'active' }) },
    { label: t('Delete'), icon: 'trash', danger: true, run: () => ask('delete') },
  ];
}

/** Where an app is served. */
const addressOf = ({ id, serverId, slug, type }: AppRecord): string =>
  type === 'url' ? `/api/app-proxy/${id}/` : `/api/servers/${serverId}/apps/${slug}/serve/`;

/** An app, running. Its frame has an origin of its own, whatever the app does. */
export function AppFrame({ serverId, appId }: { serverId: string; appId: string }) {
  const { t } = useTexts();
  const { client, setTitle } = useApp();
  const { value: app } = useLoaded(
    () => client.rest('GET /api/servers/:serverId/apps/:appId', { serverId, appId }),
    [serverId, appId],
  );
  const name = app?.name ?? t('App');
  useEffect(() => setTitle(name), [name]);
  return (
    <section class="page">
      <header class="bar">
        <a class="icon" href={pathTo.apps(serverId)} aria-label={t('All apps')} title={t('All apps')}>
          <Icon name="back" />
        </a>
        <h1 class="title">
          <span class="name">{name}</span>
        </h1>
        <span class="space" />
        {app && <OwnTab href={addressOf(app)} />}
        {app && <Actions record={app} />}
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
  const { t } = useTexts();
  const label = t('Open in a new tab');
  return (
    <a class="icon" href={href} target="_blank" rel="noopener" aria-label={label} title={label}>
      <Icon name="open" />
    </a>
  );
}
