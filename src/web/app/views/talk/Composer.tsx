import { useEffect, useRef, useState } from 'preact/hooks';
import { connection, me, parley } from '../../state/client.ts';
import { draftOf, editing, keepDraft, replyTo } from '../../state/drafts.ts';
import type { Timeline } from '../../state/timeline.ts';
import { tellTyping, typedAll } from '../../state/typing.ts';
import { Icon } from '../parts/Icon.tsx';
import { AddFiles, Answering, FileList, Typists, useFiles, useGrowth } from './ComposerParts.tsx';
import { optionId, Suggestions, useSuggestions } from './Suggestions.tsx';

const maxLength = 16_000;
/** So many characters before the limit the count is shown. */
const tellBefore = 500;

interface ComposerProps {
  timeline: Timeline;
  name: string;
  /** Why nothing can be said here, where that is so. */
  closed?: string | null;
}

export function Composer({ timeline, name, closed = null }: ComposerProps) {
  if (closed) return <p class="closed">{closed}</p>;
  return <OpenComposer timeline={timeline} name={name} />;
}

function OpenComposer({ timeline, name }: { timeline: Timeline; name: string }) {
  const { channelId, threadId } = timeline;
  const { ref, text, change, answered, files, send, press, suggesting, blocked } = useComposer(timeline);
  const offline = connection.value.status === 'offline';
  const left = maxLength - text.length;
  const id = threadId ? 'thread-composer' : 'composer';
  const isSuggesting = suggesting.list.length > 0;
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Suggestions id={`${id}-list`} {...suggesting} />
      <Answering message={answered} />
      <FileList
        files={files.files}
        uploading={files.uploading}
        onRemove={({ id }) => files.setFiles(files.files.filter((file) => file.id !== id))}
      />
      <div class="box">
        <AddFiles onChoose={(list) => void files.add(list)} />
        <textarea
          id={id}
          ref={ref}
          rows={1}
          value={text}
          aria-label={`Message ${name}`}
          aria-autocomplete="list"
          aria-controls={isSuggesting ? `${id}-list` : undefined}
          aria-activedescendant={isSuggesting ? optionId(`${id}-list`, suggesting.chosen) : undefined}
          placeholder={offline ? 'Offline: what you write is sent later' : `Message ${name}`}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={press}
          onPaste={(event) => void files.add([...(event.clipboardData?.files ?? [])])}
        />
        {left < tellBefore && <span class={left < 0 ? 'count bad' : 'count'}>{left}</span>}
        <button type="submit" class="send" aria-label="Send" disabled={blocked}>
          <Icon name="send" />
        </button>
      </div>
      <Typists channelId={channelId} threadId={threadId} />
    </form>
  );
}

/** What is being written for a timeline, and what becomes of it. */
function useComposer(timeline: Timeline) {
  const { channelId, threadId, key } = timeline;
  const [text, setText] = useState(() => draftOf(key));
  const ref = useRef<HTMLTextAreaElement>(null);
  const files = useFiles();
  const asked = replyTo.value;
  const answered = asked?.channelId === channelId && asked.threadId === threadId ? asked : null;
  const isEmpty = text.trim() === '' && files.files.length === 0;
  const blocked = isEmpty || files.uploading > 0 || text.length > maxLength;
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
    if (blocked) return;
    const attachments = files.files.length > 0 ? files.files.map(({ id }) => ({ id })) : undefined;
    const message = { content: text.trim(), attachments, threadId, replyToId: answered?.id };
    // A refusal shows below the message itself.
    parley
      .channel(channelId)
      .send(message)
      .catch(() => {});
    change('');
    files.setFiles([]);
    typedAll();
    replyTo.value = null;
    if (timeline.hasNewer.peek()) void timeline.showNewest();
    ref.current?.closest('.conversation')?.querySelector('.scroller')?.scrollTo({ top: 0 });
  };
  const suggesting = useSuggestions(channelId, text, change);
  const press = (event: KeyboardEvent) => {
    if (suggesting.press(event)) return;
    if (event.key === 'Escape') replyTo.value = null;
    if (event.key === 'ArrowUp' && text === '') return editLast(timeline, event);
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return { ref, text, change, answered, files, send, press, suggesting, blocked };
}

function editLast(timeline: Timeline, event: KeyboardEvent): void {
  const own = timeline.messages.peek().findLast(({ authorId }) => authorId === me.value?.id);
  if (!own) return;
  event.preventDefault();
  editing.value = own.id;
}
