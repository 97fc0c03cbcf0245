import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { connection, me, parley } from '../state/client.ts';
import { draftOf, editing, keepDraft, replyTo } from '../state/drafts.ts';
import type { Timeline } from '../state/timeline.ts';

const maxLength = 16_000;
/** So many characters before the limit the count is shown. */
const tellBefore = 500;

export function Composer({ timeline, name }: { timeline: Timeline; name: string }) {
  const { channelId } = timeline;
  const [text, setText] = useState(() => draftOf(channelId));
  const ref = useRef<HTMLTextAreaElement>(null);
  const answered = replyTo.value?.channelId === channelId ? replyTo.value : null;
  useGrowth(ref, text);
  useEffect(() => {
    // On a phone the keyboard would cover half of what one came to read.
    if (matchMedia('(hover: hover)').matches || answered) ref.current?.focus();
  }, [channelId, answered]);

  const change = (value: string) => {
    setText(value);
    keepDraft(channelId, value);
  };
  const send = () => {
    const content = text.trim();
    if (content === '' || content.length > maxLength) return;
    // A refusal shows below the message itself.
    parley
      .channel(channelId)
      .send({ content, replyToId: answered?.id })
      .catch(() => {});
    change('');
    replyTo.value = null;
    if (timeline.hasNewer.peek()) void timeline.showNewest();
    document.querySelector('.scroller')?.scrollTo({ top: 0 });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') replyTo.value = null;
    if (event.key === 'ArrowUp' && text === '') return editLast(timeline, event);
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  const left = maxLength - text.length;
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
      <div class="box">
        <textarea
          id="composer"
          ref={ref}
          rows={1}
          value={text}
          aria-label={`Message ${name}`}
          placeholder={
            connection.value.status === 'offline' ? 'Offline: what you write is sent later' : `Message ${name}`
          }
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={press}
        />
        {left < tellBefore && <span class={left < 0 ? 'count bad' : 'count'}>{left}</span>}
        <button type="submit" class="send" aria-label="Send" disabled={text.trim() === '' || left < 0}>
          ➤
        </button>
      </div>
    </form>
  );
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
