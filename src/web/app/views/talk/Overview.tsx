import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { More } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { Marked } from './Found.tsx';

type Answer = RestAnswer<'GET /api/search'>;

/** How many of each kind are shown at first. */
export const mostShown = 5;
const pageSize = 25;

interface OverviewProps {
  found: Answer;
  words: string;
  /** Undefined: everywhere. */
  serverId: string | undefined;
  onClose(): void;
}

/** People, channels and files that a search found, each kind under its name. */
export function Overview({ found: { people, channels, files }, words, serverId, onClose }: OverviewProps) {
  const { t } = useTexts();
  const { client } = useApp();
  const page = (cursor: string) => ({ query: { query: words, serverId, limit: pageSize, cursor } });
  return (
    <>
      <Section
        title={t('People')}
        first={people}
        more={(all) => client.rest('GET /api/search/people', page(String(all.length)))}
        item={(user) => <PersonFound key={user.id} user={user} onClose={onClose} />}
      />
      <Section
        title={t('Channels')}
        first={channels}
        more={(all) => client.rest('GET /api/search/channels', page(String(all.length)))}
        item={({ id, serverId: at, name }) => (
          <li key={id}>
            <a class="quoted" href={pathTo.channel(at, id)} onClick={onClose}>
              <span class="who">#{name}</span>
            </a>
          </li>
        )}
      />
      <Section
        title={t('Files')}
        first={files}
        more={(all) => client.rest('GET /api/search/files', page(all.at(-1)?.messageId ?? ''))}
        item={(file) => <FileFound key={file.id} file={file} onClose={onClose} />}
      />
    </>
  );
}

function PersonFound({ user, onClose }: { user: Answer['people'][number]; onClose(): void }) {
  const app = useApp();
  const talkTo = () => {
    onClose();
    void app.attempt(() => app.people.talkTo(user.id));
  };
  return (
    <li>
      <button type="button" class="quoted" onClick={talkTo}>
        <Avatar user={user} size="small" />
        <span class="who">
          {user.displayName} <span class="faint">@{user.username}</span>
        </span>
      </button>
    </li>
  );
}

function FileFound({ file, onClose }: { file: Answer['files'][number]; onClose(): void }) {
  const { shortTime, t } = useTexts();
  const { excerpt } = file;
  const name = excerpt.of === 'filename' ? <Marked text={excerpt.text} marks={excerpt.marks} /> : file.filename;
  return (
    <li>
      <a class="quoted" href={pathTo.messageOrThread(file.serverId, { ...file, id: file.messageId })} onClick={onClose}>
        <Icon name="file" />
        <span class="who">
          {file.isSpoiler ? t('Spoiler: a file') : name}{' '}
          <span class="faint">
            {file.author.displayName}, {shortTime(file.sentAt)}
          </span>
          {excerpt.of === 'file' && excerpt.text !== '' && (
            <span class="text">
              <Marked text={excerpt.text} marks={excerpt.marks} />
            </span>
          )}
        </span>
      </a>
    </li>
  );
}

interface SectionProps<T> {
  title: string;
  first: T[];
  /** Reads those behind all that were read so far. */
  more(all: T[]): Promise<T[]>;
  item(one: T): ComponentChildren;
}

function Section<T>({ title, first, more, item }: SectionProps<T>) {
  const { attempt } = useApp();
  const [all, setAll] = useState(first);
  const [hasMore, setHasMore] = useState(first.length >= mostShown);
  const readMore = () =>
    attempt(async () => {
      const page = await more(all);
      setAll([...all, ...page]);
      setHasMore(page.length >= pageSize);
    });
  if (all.length === 0) return null;
  return (
    <section class="kinds">
      <h3>{title}</h3>
      <ul class="found">
        {all.map(item)}
        {hasMore && (
          <li>
            <More onMore={readMore} />
          </li>
        )}
      </ul>
    </section>
  );
}
