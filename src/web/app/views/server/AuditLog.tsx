import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer, RestInput, ServerRecord } from '../../../../client/index.ts';
import { saveFile } from '../../browser.ts';
import { Button } from '../parts/Button.tsx';
import { Select } from '../parts/Field.tsx';
import { useLoaded, usePages } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { fullTime, shortTime } from '../parts/time.ts';
import { useApp } from '../useApp.ts';
import { auditKinds, wordsOf } from './audit-words.ts';

type Entry = RestAnswer<'GET /api/servers/:id/audit'>[number];
type Query = NonNullable<RestInput<'GET /api/servers/:id/audit'>['query']>;

const pageSize = 50;
const dayMs = 86_400_000;
const times = [
  { value: '', label: 'At any time' },
  { value: '1', label: 'Today and yesterday' },
  { value: '7', label: 'In the last 7 days' },
  { value: '30', label: 'In the last 30 days' },
];

/** Who did what in a server, newest first. */
export function AuditLog({ server }: { server: ServerRecord }) {
  const { client, attempt } = useApp();
  const [filter, setFilter] = useState<Query>({});
  const { id } = server;
  const { list, load, onMore } = usePages<Entry>(
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
    <Block title="Audit log" about="Who did what here. Nobody can change it; old entries go by themselves.">
      <Filters server={server} filter={filter} onChange={setFilter} />
      <Button label="Download as CSV" kind="quiet" onClick={() => void save()} />
      {list?.length === 0 && <p class="empty">Nothing was done that this shows.</p>}
      <ul class="log">
        {list?.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </ul>
      {onMore && <Button label="Show more" kind="quiet" onClick={() => void onMore()} />}
    </Block>
  );
}

interface FiltersProps {
  server: ServerRecord;
  filter: Query;
  onChange(filter: Query): void;
}

function Filters({ server, filter, onChange }: FiltersProps) {
  const { servers } = useApp();
  const { value: members } = useLoaded(() => servers.membersOf(server.id), [server.id]);
  const people = (members ?? []).filter(({ role }) => role !== 'member');
  const set = (name: 'actorId' | 'action' | 'after', value: string) => {
    const { [name]: _, ...rest } = filter;
    onChange(value === '' ? rest : { ...rest, [name]: value });
  };
  const since = (days: string) =>
    set('after', days === '' ? '' : new Date(Date.now() - Number(days) * dayMs).toISOString());
  return (
    <div class="log-filters">
      <Select
        label="Who"
        value={filter.actorId ?? ''}
        options={[
          { value: '', label: 'Anyone' },
          ...people.map(({ userId, user }) => ({ value: userId, label: user.displayName })),
        ]}
        onChange={(value) => set('actorId', value)}
      />
      <Select
        label="What"
        value={filter.action ?? ''}
        options={auditKinds}
        onChange={(value) => set('action', value)}
      />
      <Select label="When" options={times} onChange={since} />
    </div>
  );
}

function EntryRow({ entry }: { entry: Entry }) {
  const { actor, token, source, reason, createdAt } = entry;
  const by = actor?.displayName ?? (source === 'cli' ? 'The operator' : 'The system');
  const through =
    token?.kind === 'personal' ? `with the token ${token.name ?? ''}` : token?.kind === 'agent' ? 'as a bot' : '';
  return (
    <li>
      <span class="what">
        <b>{by}</b> {sentence(entry)}
      </span>
      <span class="faint">
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {shortTime(createdAt)}
        </time>
        {through && ` · ${through}`}
        {reason && ` · ${reason}`}
      </span>
      <Changed entry={entry} />
    </li>
  );
}

/** The fields as they were and as they became. */
function Changed({ entry: { before, after } }: { entry: Entry }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return null;
  return (
    <ul class="changed">
      {names.map((name) => (
        <li key={name}>
          {name}: {before && shown(before[name])}
          {before && after && ' → '}
          {after && shown(after[name])}
        </li>
      ))}
    </ul>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
}

function sentence({ action, target, channelName }: Entry): string {
  const name = target?.user?.displayName ?? target?.label ?? 'something';
  return wordsOf(action)
    .replace('{target}', () => name)
    .replace('{channel}', () => (channelName ? `#${channelName}` : 'a channel that is gone'));
}
