import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Message, RestAnswer } from '../../../../client/index.ts';
import { saidIn } from '../../../../contract/quote.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { errorText } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { More } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Text } from '../parts/text.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';

export type FoundMessage = RestAnswer<'GET /api/search/messages'>[number];
type Shown = Message | FoundMessage;

/** The pinned messages of a channel. */
export function Pins({ channelId, onClose }: { channelId: string; onClose(): void }) {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const [list, setList] = useState<Message[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    client
      .rest('GET /api/channels/:channelId/pins', { channelId })
      .then(setList, (reason) => setError(errorText(reason, texts)));
  }, [channelId]);
  return (
    <Dialog title={t('Pinned messages')} onClose={onClose}>
      <Found list={list} error={error} nothing={t('Nothing is pinned here.')} onOpen={onClose} />
    </Dialog>
  );
}

interface ResultsProps {
  list: Shown[] | null;
  error: string | null;
  nothing: string;
  /** Whether the list is in the order of time. */
  byTime?: boolean;
  /** Loads more; undefined: there is none. */
  onMore?: (() => Promise<unknown>) | undefined;
  /** The message that was opened last. */
  current?: string | undefined;
  onOpen(message: Shown): void;
}

export function Found({ list, error, nothing, byTime = true, onMore, current, onOpen }: ResultsProps) {
  const texts = useTexts();
  if (error)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    );
  const said =
    list === null
      ? texts.t('One moment…')
      : list.length === 0
        ? nothing
        : countOf(texts, list.length, onMore !== undefined, byTime);
  return (
    <>
      {/* It is rendered before it has a text, so that screen readers announce it. */}
      <p class="faint" role="status">
        {said}
      </p>
      {list !== null && list.length > 0 && <ResultList list={list} onMore={onMore} current={current} onOpen={onOpen} />}
    </>
  );
}

function countOf({ t }: Texts, count: number, hasMore: boolean, byTime: boolean): string {
  if (hasMore) return byTime ? t('The newest {count}', { count }) : t('The {count} most relevant', { count });
  return t('{count, plural, one {# message} other {# messages}}', { count });
}

type ListProps = Pick<ResultsProps, 'onMore' | 'current' | 'onOpen'> & { list: Shown[] };

function ResultList({ list, onMore, current, onOpen }: ListProps) {
  const texts = useTexts();
  const app = useApp();
  return (
    <ul class="found">
      {list.map((message) => (
        <li key={message.id}>
          <a
            class="quoted"
            href={pathTo.messageOrThread(serverOf(app, message), message)}
            aria-current={message.id === current ? 'true' : undefined}
            onClick={() => onOpen(message)}
          >
            <Avatar user={message.author} size="small" />
            <span class="who">
              <span>
                <strong>{message.author.displayName}</strong>{' '}
                <span class="faint">{whereAndWhen(texts, app, message)}</span>
              </span>
              <span class="text">
                <ShownText message={message} />
              </span>
            </span>
          </a>
        </li>
      ))}
      {onMore && (
        <li>
          <More onMore={onMore} />
        </li>
      )}
    </ul>
  );
}

/** The text, or the piece of it with what was looked for. */
function ShownText({ message }: { message: Shown }) {
  const { t } = useTexts();
  if (!('excerpt' in message)) return <Text content={saidIn(message)} mentions={message.mentions} plain />;
  const { text, marks, attachmentId, of } = message.excerpt;
  const file = message.attachments.find(({ id }) => id === attachmentId);
  return (
    <>
      {attachmentId !== null && <span class="faint">{t('File:')} </span>}
      {of === 'file' && file && <span class="faint">{file.filename} </span>}
      <Marked text={text} marks={marks} />
    </>
  );
}

type Marks = readonly { start: number; end: number }[];

/** A text with places that are marked. */
export function Marked({ text, marks }: { text: string; marks: Marks }) {
  const ends = marks.map((mark, index) => ({ ...mark, before: marks[index - 1]?.end ?? 0 }));
  return (
    <>
      {ends.map(({ before, start, end }) => (
        <Fragment key={start}>
          {text.slice(before, start)}
          <mark>{text.slice(start, end)}</mark>
        </Fragment>
      ))}
      {text.slice(marks.at(-1)?.end ?? 0)}
    </>
  );
}

/** The server of a message; null: it is of a direct conversation. */
const serverOf = (app: AppState, message: Shown): string | null =>
  'excerpt' in message ? message.serverId : (app.servers.current.value?.id ?? null);

/** The channel of a message, with its server if that is another than the one that is shown, unless it is a direct one, and its time. */
function whereAndWhen({ shortTime, t }: Texts, app: AppState, message: Shown): string {
  const current = app.servers.current.value?.id ?? null;
  const serverId = serverOf(app, message);
  const list = app.servers.channels.value.get(serverId ?? '');
  const known = list?.find(({ id }) => id === message.channelId)?.name;
  const channel = 'excerpt' in message ? message.channelName : known;
  const time = shortTime(message.createdAt);
  const server = serverId === current ? undefined : app.servers.list.value.find(({ id }) => id === serverId)?.name;
  if (channel && server) return t('in #{channel} of {server}, {time}', { channel, server, time });
  if (serverId === null) return current === null ? time : t('in a direct conversation, {time}', { time });
  return channel ? t('in #{channel}, {time}', { channel, time }) : time;
}
