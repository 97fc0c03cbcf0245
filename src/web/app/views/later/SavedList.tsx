import { useEffect, useState } from 'preact/hooks';
import { saidIn, withNames, withoutSpoilers } from '../../../../contract/quote.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button, More } from '../parts/Button.tsx';
import { Empty } from '../parts/Empty.tsx';
import { Folding } from '../parts/Folding.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLoaded, usePages } from '../parts/loading.ts';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { Text } from '../parts/text.tsx';
import { Attachments } from '../talk/Attachments.tsx';
import { Forwarded } from '../talk/Forwarded.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { type LaterEntry, RemindDialog } from './RemindDialog.tsx';

const pageSize = 50;
/** More than anyone leaves undone; what is beyond it is among the others. */
const mostDue = 100;

/** Saved messages and reminders, kept up to date: those that the user was reminded of come first. */
export function SavedList({ isDone }: { isDone: boolean }) {
  const { t } = useTexts();
  const { client, attempt } = useApp();
  const status = isDone ? 'done' : 'open';
  const { list, load, onMore } = usePages(
    pageSize,
    (known: readonly LaterEntry[]) => {
      const cursor = known.at(-1)?.id;
      return client.rest('GET /api/later', { query: { status, limit: pageSize, ...(cursor ? { cursor } : {}) } });
    },
    [status],
  );
  const { value: due, load: loadDue } = useLoaded(
    async () => (isDone ? [] : client.rest('GET /api/later', { query: { status: 'due', limit: mostDue } })),
    [status],
  );
  useEffect(() => {
    const again = () => void attempt(() => Promise.all([load(), loadDue()]));
    const off = [client.on('later:updated', again), client.on('later:removed', again)];
    return () => {
      for (const end of off) end();
    };
  }, []);
  const first = new Set(due?.map(({ id }) => id));
  const shown = list && [...(due ?? []), ...list.filter(({ id }) => !first.has(id))];
  return (
    <>
      {shown?.length === 0 &&
        (isDone ? (
          <Empty icon="check" title={t('Nothing done yet')} about={t('What you mark as done moves here.')} />
        ) : (
          <Empty
            icon="bookmark"
            title={t('Nothing saved yet')}
            about={t('Save a message from its menu to find it here.')}
          />
        ))}
      <ol class="held">
        {shown?.map((entry) => (
          <Saved key={entry.id} entry={entry} />
        ))}
      </ol>
      {onMore && <More onMore={onMore} />}
    </>
  );
}

/** The user was reminded of it, and has not dealt with it yet. */
const isDue = ({ isDone, remindAt, remindedAt }: LaterEntry): boolean =>
  !isDone && remindAt === null && remindedAt !== null;

function Saved({ entry }: { entry: LaterEntry }) {
  const texts = useTexts();
  const { t } = texts;
  const { client, attempt } = useApp();
  const [reminding, setReminding] = useState(false);
  const { id, message, isDone, note } = entry;
  const change = (body: { isDone?: boolean; remindAt?: null }) =>
    void attempt(() => client.rest('PATCH /api/later/:id', { id, body }));
  const items: MenuItem[] = [
    { label: entry.remindAt ? t('Change the reminder') : t('Remind me'), icon: 'clock', run: () => setReminding(true) },
    ...(entry.remindAt
      ? [{ label: t('No reminder'), icon: 'mute' as const, run: () => change({ remindAt: null }) }]
      : []),
    {
      label: t('Remove'),
      icon: 'trash',
      danger: true,
      run: () => void attempt(() => client.rest('DELETE /api/later/:id', { id })),
    },
  ];
  return (
    <li
      aria-label={
        note ??
        (message
          ? withoutSpoilers(withNames(saidIn(message), message.mentions))
          : t('A message that is no longer available'))
      }
    >
      {message ? <Avatar user={message.author} size="small" /> : <Icon name={entry.messageId ? 'block' : 'bell'} />}
      <div>
        <p class={isDue(entry) ? 'bad' : 'faint'}>{aboutOf(texts, entry)}</p>
        {note && <p>{note}</p>}
        <SavedMessage entry={entry} />
        <footer>
          <Button
            label={isDone ? t('Open again') : t('Done')}
            kind="quiet"
            onClick={() => change({ isDone: !isDone })}
          />
          <Menu label={t('More')} items={items}>
            <Icon name="more" />
          </Menu>
        </footer>
      </div>
      {reminding && <RemindDialog entry={entry} onClose={() => setReminding(false)} />}
    </li>
  );
}

function SavedMessage({ entry: { message, serverId, isGone } }: { entry: LaterEntry }) {
  const { t } = useTexts();
  if (isGone) return <p class="hint">{t('The message is gone: it was deleted, or you are no longer there.')}</p>;
  if (!message) return null;
  const own = saidIn({ content: message.content, poll: message.poll });
  return (
    <>
      <Folding content={own}>
        <div class="text">
          <Text content={own} mentions={message.mentions} />
        </div>
      </Folding>
      <Forwarded message={message} />
      <Attachments list={message.attachments} />
      <a href={pathTo.messageOrThread(serverId, message)}>{t('Show the message')}</a>
    </>
  );
}

function aboutOf({ shortTime, t }: Texts, entry: LaterEntry): string {
  const { message, remindAt, remindedAt, createdAt } = entry;
  const from = message ? `${message.author.displayName}: ` : '';
  if (remindAt) return `${from}${t('you will be reminded {time}', { time: shortTime(remindAt) })}`;
  if (isDue(entry) && remindedAt) return `${from}${t('due since {time}', { time: shortTime(remindedAt) })}`;
  return `${from}${t('saved {time}', { time: shortTime(createdAt) })}`;
}
