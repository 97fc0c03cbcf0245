import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { draftOf, endEditing, keepDraft } from '../../state/drafts.ts';
import { composerBeside } from '../../state/focus.ts';
import { hasEnter, isComposing, isReady } from '../../state/keyboard.ts';
import type { Timeline } from '../../state/timeline.ts';
import { attempt } from '../../state/toasts.ts';
import { listOf, Suggestions, useGrowth, useSuggestions } from './Suggestions.tsx';

/** A message in its place, to be changed: Enter keeps, Escape gives up. */
export function EditBox({ message, timeline }: { message: Message; timeline: Timeline }) {
  const { ref, text, change, close, keep, press, suggesting } = useEditing(message, timeline);
  return (
    <div class="edit">
      <Suggestions id="edit-list" {...suggesting} />
      <textarea
        ref={ref}
        aria-label="Edit the message"
        value={text}
        rows={1}
        {...listOf('edit-list', suggesting)}
        onInput={(event) => {
          change(event.currentTarget.value);
          suggesting.typed();
        }}
        onKeyDown={press}
      />
      <p class="hint">
        {hasEnter() ? 'Escape to ' : ''}
        <button type="button" class="link" onClick={close}>
          cancel
        </button>
        {hasEnter() ? ', Enter to ' : ' or '}
        <button type="button" class="link" onClick={() => void keep()}>
          save
        </button>
      </p>
    </div>
  );
}

function useEditing(message: Message, timeline: Timeline) {
  // Whoever looks elsewhere meanwhile finds what they typed.
  const [text, setText] = useState(() => draftOf(message.id) || message.content);
  const change = (value: string) => {
    setText(value);
    keepDraft(message.id, value);
  };
  const ref = useRef<HTMLTextAreaElement>(null);
  // Before the next key is pressed.
  useLayoutEffect(() => {
    ref.current?.focus();
    ref.current?.setSelectionRange(text.length, text.length);
  }, []);
  useGrowth(ref, text);
  // Where one goes on typing, once the box has its height.
  useLayoutEffect(() => ref.current?.scrollTo({ top: ref.current.scrollHeight }), []);
  const close = () => {
    composerBeside(ref.current)?.focus();
    endEditing(message.id);
  };
  const keep = async () => {
    const content = text.trim();
    if (content === '' || content === message.content) return close();
    const kept = await attempt(async () => {
      timeline.replace(await parley.rest('PATCH /api/messages/:id', { id: message.id, body: { content } }));
    });
    if (kept) close();
  };
  const suggesting = useSuggestions(message.channelId, ref, change);
  const press = (event: KeyboardEvent) => {
    if (suggesting.press(event)) return;
    if (event.key === 'Escape' && !isComposing(event)) close();
    if (!isReady(event)) return;
    event.preventDefault();
    void keep();
  };
  return { ref, text, change, close, keep, press, suggesting };
}
