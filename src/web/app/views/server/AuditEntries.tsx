import type { RestAnswer } from '../../../../client/index.ts';
import { Button } from '../parts/Button.tsx';
import { fullTime, shortTime } from '../parts/time.ts';
import { wordsOf } from './audit-words.ts';

export type AuditEntry = RestAnswer<'GET /api/servers/:id/audit'>[number];

interface Props {
  list: readonly AuditEntry[] | null;
  onMore: (() => void) | undefined;
}

/** Entries of an audit log, newest first. */
export function AuditEntries({ list, onMore }: Props) {
  return (
    <>
      {list?.length === 0 && <p class="empty">Nothing was done that this shows.</p>}
      <ul class="log">
        {list?.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </ul>
      {onMore && <Button label="Show more" kind="quiet" onClick={() => void onMore()} />}
    </>
  );
}

function EntryRow({ entry }: { entry: AuditEntry }) {
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
function Changed({ entry: { before, after } }: { entry: AuditEntry }) {
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

function sentence({ action, target, channelName }: AuditEntry): string {
  const name = target?.user?.displayName ?? target?.label ?? 'something';
  return wordsOf(action)
    .replace('{target}', () => name)
    .replace('{channel}', () => (channelName ? `#${channelName}` : 'a channel that is gone'));
}
