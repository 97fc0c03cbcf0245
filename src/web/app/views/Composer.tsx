import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../client/index.ts';
import { upload } from '../state/attachments.ts';
import { connection, me, parley } from '../state/client.ts';
import { draftOf, editing, keepDraft, replyTo } from '../state/drafts.ts';
import type { Timeline } from '../state/timeline.ts';
import { attempt } from '../state/toasts.ts';
import { tellTyping, typedAll, typists } from '../state/typing.ts';

type Attachment = Message['attachments'][number];

const maxLength = 16_000;
const mostFiles = 10;
/** So many characters before the limit the count is shown. */
const tellBefore = 500;

export function Composer({ timeline, name }: { timeline: Timeline; name: string }) {
  const { channelId, threadId, key } = timeline;
  const [text, setText] = useState(() => draftOf(key));
  const [files, setFiles] = useState<Attachment[]>([]);
  const [uploading, setUploading] = useState(0);
  const ref = useRef<HTMLTextAreaElement>(null);
  const asked = replyTo.value;
  const answered = asked?.channelId === channelId && asked.threadId === threadId ? asked : null;
  useGrowth(ref, text);
  useEffect(() => {
    // On a phone the keyboard would cover half of what one came to read.
    if (matchMedia('(hover: hover)').matches || answered) ref.current?.focus();
  }, [key, answered]);

  const change = (value: string) => {
    setText(value);
    keepDraft(key, value);
    if (value !== '') tellTyping(channelId, threadId);
  };
  const send = () => {
    const content = text.trim();
    if ((content === '' && files.length === 0) || uploading > 0 || content.length > maxLength) return;
    const attachments = files.length > 0 ? files.map(({ id }) => ({ id })) : undefined;
    // A refusal shows below the message itself.
    parley
      .channel(channelId)
      .send({ content, attachments, threadId, replyToId: answered?.id })
      .catch(() => {});
    change('');
    setFiles([]);
    typedAll();
    replyTo.value = null;
    if (timeline.hasNewer.peek()) void timeline.showNewest();
    ref.current?.closest('.conversation')?.querySelector('.scroller')?.scrollTo({ top: 0 });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') replyTo.value = null;
    if (event.key === 'ArrowUp' && text === '') return editLast(timeline, event);
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  const add = async (list: Iterable<File>) => {
    const chosen = [...list].slice(0, mostFiles - files.length);
    setUploading((count) => count + chosen.length);
    for (const file of chosen) {
      await attempt(async () => {
        const uploaded = await upload(file);
        setFiles((known) => [...known, uploaded]);
      });
      setUploading((count) => count - 1);
    }
  };
  const left = maxLength - text.length;
  const empty = text.trim() === '' && files.length === 0;
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {answered && (
        <div class="answering">
          <span>
            Replying to <strong>{answered.author.displayName}</strong>
          </span>
          <button type="button" class="icon" aria-label="Do not reply" onClick={() => (replyTo.value = null)}>
            ✕
          </button>
        </div>
      )}
      {(files.length > 0 || uploading > 0) && (
        <ul class="files" aria-label="Files to send">
          {files.map((file) => (
            <li key={file.id}>
              {file.filename}{' '}
              <button
                type="button"
                class="link"
                aria-label={`Do not send ${file.filename}`}
                onClick={() => setFiles(files.filter(({ id }) => id !== file.id))}
              >
                ✕
              </button>
            </li>
          ))}
          {uploading > 0 && <li role="status">Uploading {uploading}…</li>}
        </ul>
      )}
      <div class="box">
        <label class="icon attach" title="Add files">
          <span aria-hidden="true">+</span>
          <input
            type="file"
            class="hidden"
            aria-label="Add files"
            multiple
            onChange={(event) => {
              void add(event.currentTarget.files ?? []);
              event.currentTarget.value = '';
            }}
          />
        </label>
        <textarea
          id={threadId ? 'thread-composer' : 'composer'}
          ref={ref}
          rows={1}
          value={text}
          aria-label={`Message ${name}`}
          placeholder={
            connection.value.status === 'offline' ? 'Offline: what you write is sent later' : `Message ${name}`
          }
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={press}
          onPaste={(event) => void add(event.clipboardData?.files ?? [])}
        />
        {left < tellBefore && <span class={left < 0 ? 'count bad' : 'count'}>{left}</span>}
        <button type="submit" class="send" aria-label="Send" disabled={empty || uploading > 0 || left < 0}>
          ➤
        </button>
      </div>
      <Typists channelId={channelId} threadId={threadId} />
    </form>
  );
}

/** Its room is always there, so that nothing jumps. */
function Typists({ channelId, threadId }: { channelId: string; threadId: string | null }) {
  const here = (typists.value.get(channelId) ?? []).filter((typist) => typist.threadId === threadId);
  const names = here.map(({ name }) => name);
  const text =
    names.length === 0
      ? ''
      : names.length === 1
        ? `${names[0]} is typing…`
        : names.length < 4
          ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are typing…`
          : 'Several people are typing…';
  return <p class="typists">{text}</p>;
}

/** The box is as high as its text, up to a limit of the style. */
function useGrowth(ref: { current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return;
    box.style.height = 'auto';
    box.style.height = `${box.scrollHeight}px`;
  }, [ref, text]);
}

function editLast(timeline: Timeline, event: KeyboardEvent): void {
  const own = timeline.messages.peek().findLast(({ authorId }) => authorId === me.value?.id);
  if (!own) return;
  event.preventDefault();
  editing.value = own.id;
}
