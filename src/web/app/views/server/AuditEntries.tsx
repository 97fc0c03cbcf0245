import type { ComponentChild } from 'preact';
import type { RestAnswer } from '../../../../client/index.ts';
import { fieldTitle } from '../../state/field-titles.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { useTexts } from '../useApp.ts';
import { wordsOf } from './audit-words.ts';

export type AuditEntry = RestAnswer<'GET /api/servers/:id/audit'>[number];

interface Props {
  list: readonly AuditEntry[] | null;
  onMore: (() => void) | undefined;
}

/** Entries of an audit log, newest first. */
export function AuditEntries({ list, onMore }: Props) {
  const { t } = useTexts();
  return (
    <>
      {list?.length === 0 && <p class="empty">{t('No entries.')}</p>}
      <ul class="log">
        {list?.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </ul>
      {onMore && <Button label={t('Show more')} kind="quiet" onClick={() => void onMore()} />}
    </>
  );
}

function EntryRow({ entry }: { entry: AuditEntry }) {
  const texts = useTexts();
  const { fullTime, shortTime, t } = texts;
  const { actor, token, source, reason, createdAt } = entry;
  const by = actor?.displayName ?? (source === 'cli' ? t('The operator') : t('The system'));
  const through =
    token?.kind === 'personal'
      ? token.name
        ? t('with the token {name}', { name: token.name })
        : t('with a token')
      : token?.kind === 'agent'
        ? t('as a bot')
        : '';
  return (
    <li>
      <span class="what">{sentence(texts, entry, <b>{by}</b>)}</span>
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
  const texts = useTexts();
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(isReadable);
  if (names.length === 0) return null;
  return (
    <ul class="changed">
      {names.map((name) => (
        <li key={name}>
          {fieldTitle(name, texts) ?? wordsFor(name)}: {before && <bdi>{shown(texts, before[name])}</bdi>}
          {before && after && (texts.direction === 'rtl' ? ' ← ' : ' → ')}
          {after && <bdi>{shown(texts, after[name])}</bdi>}
        </li>
      ))}
    </ul>
  );
}

/** The name of a field in words: `keepMessagesDays` is `keep messages days`. */
const wordsFor = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Ids say nothing to people. */
const isReadable = (name: string): boolean => !/Ids?$|By$/.test(name);
const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text);

function shown({ fullTime, listed, t }: Texts, value: unknown): string {
  if (value === undefined || value === null || value === '') return t('none');
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (Array.isArray(value)) return value.length > 0 ? listed(value.map(String)) : t('none');
  if (typeof value !== 'string') return JSON.stringify(value);
  return isTime(value) ? fullTime(value) : `“${value}”`;
}

function sentence({ t, rich }: Texts, { action, target, channelName }: AuditEntry, actor: ComponentChild) {
  const words = wordsOf(action);
  const channel = channelName ? `#${channelName}` : t('a channel that is gone');
  const of = target?.user?.displayName ?? target?.label ?? t('something');
  return words ? rich(words, { actor, target: of, channel }) : [actor, ` ${action}`];
}
