import { useEffect, useState } from 'preact/hooks';
import type { RestInput, ServerRecord } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { saveFile } from '../../browser.ts';
import { Button } from '../parts/Button.tsx';
import { Select } from '../parts/Field.tsx';
import { useLoaded, usePages } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { AuditEntries, type AuditEntry } from './AuditEntries.tsx';
import { auditKinds } from './audit-words.ts';

type Query = NonNullable<RestInput<'GET /api/servers/:id/audit'>['query']>;

const pageSize = 50;
const dayMs = 86_400_000;
const times: { value: string; label: Message }[] = [
  { value: '', label: 'At any time' },
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
];

/** Who did what in a server, newest first. */
export function AuditLog({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { client, attempt } = useApp();
  const [filter, setFilter] = useState<Query>({});
  const { id } = server;
  const { list, load, onMore } = usePages<AuditEntry>(
    pageSize,
    (known) => {
      const cursor = known.at(-1)?.id;
      const query = { ...filter, limit: pageSize, ...(cursor ? { cursor } : {}) };
      return client.rest('GET /api/servers/:id/audit', { id, query });
    },
    [id, filter],
  );
  useEffect(() => client.on('audit:created', ({ serverId }) => void (serverId === id && attempt(load))), [id, filter]);
  const save = () =>
    attempt(async () => {
      const query = { ...filter, format: 'csv' as const };
      saveFile(await client.rest('GET /api/servers/:id/audit/export', { id, query }), 'audit-log.csv');
    });
  return (
    <Block
      title={t('Audit log')}
      about={t('Who did what here. The log cannot be changed; old entries are deleted after some time.')}
    >
      <Filters server={server} filter={filter} onChange={setFilter} />
      <Button label={t('Download as CSV')} kind="quiet" onClick={() => void save()} />
      <AuditEntries list={list} onMore={onMore} />
    </Block>
  );
}

interface FiltersProps {
  server: ServerRecord;
  filter: Query;
  onChange(filter: Query): void;
}

function Filters({ server, filter, onChange }: FiltersProps) {
  const { labelled, t } = useTexts();
  const { servers } = useApp();
  const { value: members } = useLoaded(() => servers.membersOf(server.id), [server.id]);
  const people = (members ?? []).filter(({ role, roles }) => role !== 'member' || roles.length > 0);
  const set = (name: 'actorId' | 'action' | 'after', value: string) => {
    const { [name]: _, ...rest } = filter;
    onChange(value === '' ? rest : { ...rest, [name]: value });
  };
  const since = (days: string) =>
    set('after', days === '' ? '' : new Date(Date.now() - Number(days) * dayMs).toISOString());
  return (
    <div class="log-filters">
      <Select
        label={t('Person')}
        value={filter.actorId ?? ''}
        options={[
          { value: '', label: t('Anyone') },
          ...people.map(({ userId, user }) => ({ value: userId, label: user.displayName })),
        ]}
        onChange={(value) => set('actorId', value)}
      />
      <Select
        label={t('Action')}
        value={filter.action ?? ''}
        options={labelled(auditKinds)}
        onChange={(value) => set('action', value)}
      />
      <Select label={t('When')} options={labelled(times)} onChange={since} />
    </div>
  );
}
