import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageInput } from '../../../../client/index.ts';
import { isTouched } from '../../browser.ts';
import { isComposing } from '../../state/keyboard.ts';
import type { Timeline } from '../../state/timeline.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import type { Begun } from './CommandDialog.tsx';
import { useSuggestions } from './Suggestions.tsx';
import { typeInto } from './typing.ts';
import { useFormatting } from './useFormatting.ts';
import { useSlowMode } from './useRestraints.ts';

/** The server takes no more. */
export const maxLength = 16_000;

/** Where one writes: a channel, a thread, or a thread that begins with what is written. */
export interface WritingPlace extends Pick<Timeline, 'key' | 'channelId' | 'threadId'> {
  /** The messages that are there; null: none can be. */
  timeline: Timeline | null;
  /** What begins the thread. */
  beginning?: Beginning;
}

export interface Beginning {
  /** @returns the id of the thread, which is there then */
  start(): Promise<string>;
  /** Shows it. */
  open(threadId: string): void;
}

export type Composing = ReturnType<typeof useComposer>;

/** The message being written in a place. */
export function useComposer(place: WritingPlace) {
  const app = useApp();
  const { attachments, drafts, keyboard } = app;
  const { channelId, key } = place;
  /** One may be on its way while the next one is typed. */
  const [begun, setBegun] = useState<readonly (Begun & { nonce: string })[]>([]);
  const begin = (command: Begun) => setBegun((others) => [...others, { ...command, nonce: app.commands.newNonce() }]);
  const end = (command: Begun) => setBegun((all) => all.filter((one) => one !== command));
  const { text, change } = useDraft(place);
  const ref = useRef<HTMLTextAreaElement>(null);
  const { files, uploading } = attachments.of(key);
  const answered = drafts.replies.of(key);
  const isEmpty = text.trim() === '' && files.length === 0 && uploading.length === 0;
  const slowMode = useSlowMode(channelId);
  const isUnfit = isEmpty || text.length > maxLength;
  const blocked = isUnfit || slowMode.left > 0;
  // Ready for the next key, and before the user moves the focus.
  useLayoutEffect(() => {
    // On a phone the keyboard would cover half of the messages.
    if (!isTouched() || answered) ref.current?.focus();
  }, [key, answered?.id]);
  /** As it is now: a thread that begins with it takes a moment, in which one writes on. */
  const content = () => (place.beginning ? drafts.of(key) : text).trim();
  const message = (): MessageInput => {
    const { files: there } = attachments.peek(key);
    const sent = there.length > 0 ? there.map(({ id }) => ({ id })) : undefined;
    return { content: content(), attachments: sent, threadId: place.threadId, replyToId: answered?.id };
  };
  const clear = () => {
    attachments.sent(key);
    change('');
    drafts.replies.set(key, null);
  };
  const { send, ask } = useSending(place, { ref, text, blocked, content, message, clear, begin, change });
  const insert = (emoji: string) => {
    if (ref.current) typeInto(ref.current, spaced(ref.current, emoji));
  };
  const starts = place.beginning ? undefined : (command: Begun['command']) => begin({ command, rest: '' });
  const suggesting = useSuggestions(channelId, ref, change, starts);
  const formatting = useFormatting(ref);
  const press = (event: KeyboardEvent) => {
    if (suggesting.press(event) || formatting.press(event)) return;
    if (event.key === 'Escape' && !isComposing(event)) drafts.replies.set(key, null);
    if (event.key === 'ArrowUp' && !event.altKey && text === '') return editLast(app, place, event);
    if (!keyboard.submits(event)) return;
    event.preventDefault();
    send();
  };
  const later = place.beginning ? null : { channelId, message, clear, blocked: isUnfit || uploading.length > 0 };
  return {
    ref,
    text,
    change,
    insert,
    answered,
    files,
    uploading,
    send,
    ask,
    later,
    press,
    suggesting,
    formatting,
    blocked,
    slowMode,
    begun,
    end,
  };
}

interface Outgoing {
  ref: RefObject<HTMLTextAreaElement | null>;
  text: string;
  blocked: boolean;
  content(): string;
  message(): MessageInput;
  clear(): void;
  begin(command: Begun): void;
  change(text: string): void;
}

/** What sends a message, and a poll. */
function useSending(place: WritingPlace, { ref, text, blocked, content, message, clear, begin, change }: Outgoing) {
  const { t } = useTexts();
  const app = useApp();
  const { attachments, commands, drafts, waiting, showToast, attempt } = app;
  const { channelId, key, beginning } = place;
  const isStarting = useRef(false);
  /** Sends it in the thread, which is begun by that where there is none yet: not twice, and nothing is lost if that fails. */
  const within = (work: (threadId: string | null) => void) => {
    if (!beginning) return work(place.threadId);
    if (isStarting.current) return;
    isStarting.current = true;
    const start = async () => {
      const threadId = await beginning.start();
      work(threadId);
      beginning.open(threadId);
    };
    void attempt(start).then(() => {
      isStarting.current = false;
    });
  };
  const send = () => {
    if (text.length > maxLength)
      showToast(t('A message has at most {count} characters; files have more room.', { count: maxLength }), 'bad');
    if (blocked) return;
    const { files, uploading } = attachments.peek(key);
    const isText = files.length === 0 && uploading.length === 0 && !beginning;
    const command = isText ? commands.writtenIn(channelId, text.trim()) : null;
    if (command) {
      change('');
      return begin(command);
    }
    within((threadId) => {
      const target = drafts.replies.peek(key);
      if (attachments.peek(key).uploading.length > 0)
        waiting.add({ channelId, threadId, content: content(), target }, key);
      else sendTo(app, place, { ...message(), threadId });
      clear();
      showEnd(ref);
    });
  };
  const ask = (poll: NonNullable<MessageInput['poll']>) =>
    within((threadId) => {
      sendTo(app, place, { content: '', poll, threadId, replyToId: drafts.replies.peek(key)?.id });
      drafts.replies.set(key, null);
      showEnd(ref);
    });
  return { send, ask };
}

/** An emoji to be put in the place of the caret; a name counts by itself alone. */
function spaced({ value, selectionStart }: HTMLTextAreaElement, emoji: string): string {
  if (!emoji.startsWith(':')) return emoji;
  return `${/\S$/.test(value.slice(0, selectionStart)) ? ' ' : ''}${emoji} `;
}

/** The draft; it outlives the page. */
function useDraft({ key, channelId, threadId, beginning }: WritingPlace) {
  const { drafts, syncedDrafts, typists } = useApp();
  const [text, setText] = useState(() => drafts.of(key));
  useEffect(() => {
    // There is no thread yet that other devices could show it in.
    if (!beginning) syncedDrafts.follow({ channelId, threadId });
    return drafts.follow(key, setText);
  }, [key]);
  const change = (value: string) => {
    setText(value);
    drafts.keep(key, value);
    if (value !== '' && !beginning) typists.publish(channelId, threadId);
  };
  return { text, change };
}

function sendTo(app: AppState, { channelId, timeline }: WritingPlace, message: MessageInput): void {
  // A refusal is shown below the message.
  app.client
    .channel(channelId)
    .send(message)
    .catch(() => {});
  app.typists.sent();
  if (timeline?.hasNewer.peek()) void timeline.showNewest();
}

function showEnd(ref: RefObject<HTMLTextAreaElement | null>): void {
  ref.current?.closest('.conversation')?.querySelector('.scroller')?.scrollTo({ top: 0 });
}

function editLast(app: AppState, { timeline }: WritingPlace, event: KeyboardEvent): void {
  const own = timeline?.messages.peek().findLast(({ authorId }) => authorId === app.me.value?.id);
  if (!own) return;
  event.preventDefault();
  app.drafts.editing.value = own.id;
}
