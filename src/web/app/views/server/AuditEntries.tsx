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
      {list?.length === 0 && <p class="empty">No entries.</p>}
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
    token?.kind === 'personal'
      ? token.name
        ? `with the token ${token.name}`
        : 'with a token'
      : token?.kind === 'agent'
        ? 'as a bot'
        : '';
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
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(isReadable);
  if (names.length === 0) return null;
  return (
    <ul class="changed">
      {names.map((name) => (
        <li key={name}>
          {wordsFor(name)}: {before && shown(before[name])}
          {before && after && ' → '}
          {after && shown(after[name])}
        </li>
      ))}
    </ul>
  );
}

/** The name of a field in words: `keepMessagesDays` is `keep messages days`. */
const wordsFor = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Ids say nothing to people. */
const isReadable = (name: string): boolean => !/Id$|By$/.test(name);
const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text);

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(', ') : 'none';
  if (typeof value !== 'string') return JSON.stringify(value);
  return isTime(value) ? fullTime(value) : `“${value}”`;
}

function sentence({ action, target, channelName }: AuditEntry): string {
  const name = target?.user?.displayName ?? target?.label ?? 'something';
  return wordsOf(action)
    .replace('{target}', () => name)
    .replace('{channel}', () => (channelName ? `#${channelName}` : 'a channel that is gone'));
}
