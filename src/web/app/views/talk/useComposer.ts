import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageInput } from '../../../../client/index.ts';
import { me, parley } from '../../state/client.ts';
import { draftOf, editing, followDraft, keepDraft, replyTo } from '../../state/drafts.ts';
import { isComposing, isReady, isTouched } from '../../state/keyboard.ts';
import { filesFor, letGo } from '../../state/outgoing-files.ts';
import type { Timeline } from '../../state/timeline.ts';
import { tell } from '../../state/toasts.ts';
import { tellTyping, typedAll } from '../../state/typing.ts';
import { useGrowth } from './ComposerParts.tsx';
import { useSuggestions } from './Suggestions.tsx';

export const maxLength = 16_000;

export type Composing = ReturnType<typeof useComposer>;

/** What is being written for a timeline, and what becomes of it. */
export function useComposer(timeline: Timeline) {
  const { channelId, threadId, key } = timeline;
  const { text, change } = useDraft(timeline);
  const ref = useRef<HTMLTextAreaElement>(null);
  const { files, coming } = filesFor(key);
  const asked = replyTo.value;
  const answered = asked?.channelId === channelId && asked.threadId === threadId ? asked : null;
  const isEmpty = text.trim() === '' && files.length === 0;
  const blocked = isEmpty || coming.length > 0 || text.length > maxLength;
  useGrowth(ref, text);
  // Before the next key is pressed, and before somebody goes elsewhere.
  useLayoutEffect(() => {
    // On a phone the keyboard would cover half of what one came to read.
    if (!isTouched() || answered) ref.current?.focus();
  }, [key, answered]);
  const send = () => {
    if (text.length > maxLength) tell(`A message has at most ${maxLength} characters; files have more room.`, 'bad');
    if (blocked) return;
    const attachments = files.length > 0 ? files.map(({ id }) => ({ id })) : undefined;
    letGo(key);
    sendTo(timeline, { content: text.trim(), attachments, threadId, replyToId: answered?.id });
    change('');
    replyTo.value = null;
    showEnd(ref);
  };
  const suggesting = useSuggestions(channelId, ref, change);
  const press = (event: KeyboardEvent) => {
    if (suggesting.press(event)) return;
    if (event.key === 'Escape' && !isComposing(event)) replyTo.value = null;
    if (event.key === 'ArrowUp' && !event.altKey && text === '') return editLast(timeline, event);
    if (!isReady(event)) return;
    event.preventDefault();
    send();
  };
  return { ref, text, change, answered, files, coming, send, press, suggesting, blocked };
}

/** What was typed and not sent; it outlives the page. */
function useDraft({ key, channelId, threadId }: Timeline) {
  const [text, setText] = useState(() => draftOf(key));
  useEffect(() => followDraft(key, setText), [key]);
  const change = (value: string) => {
    setText(value);
    keepDraft(key, value);
    if (value !== '') tellTyping(channelId, threadId);
  };
  return { text, change };
}

function sendTo(timeline: Timeline, message: MessageInput): void {
  // A refusal shows below the message itself.
  parley
    .channel(timeline.channelId)
    .send(message)
    .catch(() => {});
  typedAll();
  if (timeline.hasNewer.peek()) void timeline.showNewest();
}

function showEnd(ref: RefObject<HTMLTextAreaElement | null>): void {
  ref.current?.closest('.conversation')?.querySelector('.scroller')?.scrollTo({ top: 0 });
}

function editLast(timeline: Timeline, event: KeyboardEvent): void {
  const own = timeline.messages.peek().findLast(({ authorId }) => authorId === me.value?.id);
  if (!own) return;
  event.preventDefault();
  editing.value = own.id;
}

/** Where one writes on, from somewhere in a channel or a thread. */
export function composerBeside(element: Element | null): HTMLElement | null {
  return element?.closest('.conversation')?.querySelector<HTMLElement>('.composer textarea') ?? null;
}
