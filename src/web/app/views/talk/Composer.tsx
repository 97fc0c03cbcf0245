import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageInput } from '../../../../client/index.ts';
import { isTouched } from '../../browser.ts';
import { isComposing } from '../../state/keyboard.ts';
import type { Timeline } from '../../state/timeline.ts';
import { useDrop } from '../parts/dropping.ts';
import { EmojiButton } from '../parts/EmojiButton.tsx';
import { Icon } from '../parts/Icon.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { AddFiles } from './AddFiles.tsx';
import { AskPoll } from './AskPoll.tsx';
import type { Begun } from './CommandDialog.tsx';
import { FileList } from './FileList.tsx';
import { mayUsually, withheld } from './permissions.ts';
import { SendLater } from './SendLater.tsx';
import { listOf, Suggestions, useGrowth, useSuggestions } from './Suggestions.tsx';
import { Typists } from './Typists.tsx';
import { UnsentDraft } from './Unsent.tsx';
import { useSlowMode } from './useRestraints.ts';

const CommandDialog = lazyDialog(() => import('./CommandDialog.tsx').then((part) => part.CommandDialog));

/** The remaining characters are shown from here on. */
const countFrom = 500;

interface ComposerProps {
  timeline: Timeline;
  name: string;
  /** Why the user cannot write here; null: they can. */
  closed: string | null;
}

export function Composer({ timeline, name, closed }: ComposerProps) {
  if (closed) {
    return (
      <>
        <p class="closed">{closed}</p>
        <UnsentDraft timeline={timeline} />
      </>
    );
  }
  return <OpenComposer timeline={timeline} name={name} />;
}

function OpenComposer({ timeline, name }: { timeline: Timeline; name: string }) {
  const { t } = useTexts();
  const app = useApp();
  const { attachments } = app;
  const { channelId, threadId } = timeline;
  const withoutFiles = mayUsually(app, channelId, 'file:attach') ? null : t(withheld.files);
  const addFiles = (list: readonly File[]) => {
    if (withoutFiles && list.length > 0) app.showToast(withoutFiles, 'bad');
    else void attachments.add(timeline.key, list);
  };
  const composing = useComposer(timeline);
  const { answered, files, uploading, suggesting, begun, begin } = composing;
  const id = threadId ? 'thread-composer' : 'composer';
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        composing.send();
      }}
    >
      <Suggestions id={`${id}-list`} {...suggesting} />
      <ReplyingTo name={answered?.name ?? null} onStop={() => app.drafts.replies.set(timeline.key, null)} />
      <FileList of={timeline.key} files={files} uploading={uploading} />
      <TextBox id={id} name={name} composing={composing} withoutFiles={withoutFiles} onFiles={addFiles} />
      <SlowModeNote {...composing.slowMode} />
      <Typists channelId={channelId} threadId={threadId} />
      {begun && <CommandDialog {...begun} place={{ channelId, threadId }} onClose={() => begin(null)} />}
    </form>
  );
}

/** What slow mode means for the user; nothing where it is off. */
function SlowModeNote({ seconds, left }: { seconds: number; left: number }) {
  const { countdown, lasting, t } = useTexts();
  if (seconds === 0) return null;
  if (left > 0) return <p class="slow">{t('Slow mode: you can write again in {time}.', { time: countdown(left) })}</p>;
  return <p class="slow">{t('Slow mode: one message every {time}.', { time: lasting(seconds) })}</p>;
}

interface TextBoxProps {
  id: string;
  name: string;
  composing: Composing;
  /** Why no files can be added; null: they can. */
  withoutFiles: string | null;
  onFiles(list: readonly File[]): void;
}

function TextBox({ id, name, composing, withoutFiles, onFiles }: TextBoxProps) {
  const { t } = useTexts();
  const { connection } = useApp();
  const { ref, text, change, press, suggesting, blocked } = composing;
  const offline = connection.state.value.status === 'offline';
  const left = maxLength - text.length;
  const label = t('Message {name}', { name });
  return (
    <div class="box">
      <AddFiles withheld={withoutFiles} onChoose={onFiles} />
      <textarea
        id={id}
        ref={ref}
        rows={1}
        value={text}
        aria-label={label}
        {...listOf(`${id}-list`, suggesting)}
        placeholder={offline ? t('Offline: what you write is sent later') : label}
        onInput={(event) => {
          change(event.currentTarget.value);
          suggesting.typed();
        }}
        onKeyDown={press}
        onPaste={(event) => onFiles([...(event.clipboardData?.files ?? [])])}
      />
      {left < countFrom && <span class={left < 0 ? 'count bad' : 'count'}>{left}</span>}
      <EmojiButton label={t('Insert an emoji')} withOwn onChoose={composing.insert} />
      <AskPoll onAsk={composing.ask} />
      <SendLater {...composing.later} />
      <button type="submit" class="send" aria-label={t('Send')} disabled={blocked}>
        <Icon name="send" />
      </button>
    </div>
  );
}

/** @param name of the author of the message that is answered; null: there is none */
function ReplyingTo({ name, onStop }: { name: string | null; onStop(): void }) {
  const { rich, t } = useTexts();
  if (name === null) return null;
  return (
    <div class="answering">
      <span>{rich('Replying to {name}', { name: <strong dir="auto">{name}</strong> })}</span>
      <button type="button" class="icon" aria-label={t('Do not reply')} onClick={onStop}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Attaches files that are dropped anywhere on a conversation to the next message, if the user can write here. */
export function useFileDrop(timeline: Timeline, closed: string | null) {
  const { t } = useTexts();
  const app = useApp();
  const { showToast, attachments } = app;
  return useDrop(async (dropped) => {
    const reason = closed ?? (mayUsually(app, timeline.channelId, 'file:attach') ? null : t(withheld.files));
    if (reason) return showToast(reason, 'bad');
    const files = dropped.map(({ file }) => file);
    await attachments.add(timeline.key, files);
  });
}

export const maxLength = 16_000;

export type Composing = ReturnType<typeof useComposer>;

/** The message being written in a timeline. */
export function useComposer(timeline: Timeline) {
  const { t } = useTexts();
  const app = useApp();
  const { attachments, commands, drafts, showToast, keyboard } = app;
  const { channelId, threadId, key } = timeline;
  const [begun, begin] = useState<Begun | null>(null);
  const { text, change } = useDraft(timeline);
  const ref = useRef<HTMLTextAreaElement>(null);
  const { files, uploading } = attachments.of(key);
  const answered = drafts.replies.of(key);
  const isEmpty = text.trim() === '' && files.length === 0;
  const slowMode = useSlowMode(channelId);
  const blocked = isEmpty || uploading.length > 0 || text.length > maxLength || slowMode.left > 0;
  useGrowth(ref, text);
  // Ready for the next key, and before the user moves the focus.
  useLayoutEffect(() => {
    // On a phone the keyboard would cover half of the messages.
    if (!isTouched() || answered) ref.current?.focus();
  }, [key, answered?.id]);
  const message = (): MessageInput => {
    const sent = files.length > 0 ? files.map(({ id }) => ({ id })) : undefined;
    return { content: text.trim(), attachments: sent, threadId, replyToId: answered?.id };
  };
  const clear = () => {
    attachments.sent(key);
    change('');
    drafts.replies.set(key, null);
  };
  const send = () => {
    if (text.length > maxLength)
      showToast(t('A message has at most {count} characters; files have more room.', { count: maxLength }), 'bad');
    if (blocked) return;
    const command = files.length === 0 ? commands.writtenIn(channelId, text.trim()) : null;
    if (command) {
      change('');
      return begin(command);
    }
    sendTo(app, timeline, message());
    clear();
    showEnd(ref);
  };
  const ask = (poll: NonNullable<MessageInput['poll']>) => {
    sendTo(app, timeline, { content: '', poll, threadId, replyToId: answered?.id });
    drafts.replies.set(key, null);
    showEnd(ref);
  };
  const insert = (emoji: string) => {
    if (ref.current) change(withEmoji(ref.current, emoji));
  };
  const suggesting = useSuggestions(channelId, ref, change, (command) => begin({ command, rest: '' }));
  const press = (event: KeyboardEvent) => {
    if (suggesting.press(event)) return;
    if (event.key === 'Escape' && !isComposing(event)) drafts.replies.set(key, null);
    if (event.key === 'ArrowUp' && !event.altKey && text === '') return editLast(app, timeline, event);
    if (!keyboard.submits(event)) return;
    event.preventDefault();
    send();
  };
  const later = { channelId, message, clear, blocked: isEmpty || uploading.length > 0 || text.length > maxLength };
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
    blocked,
    slowMode,
    begun,
    begin,
  };
}

/** Puts an emoji in the place of the caret. @returns the whole text */
function withEmoji(box: HTMLTextAreaElement, emoji: string): string {
  const { value, selectionStart, selectionEnd } = box;
  // A name counts by itself alone.
  const isName = emoji.startsWith(':');
  const before = isName && /\S$/.test(value.slice(0, selectionStart)) ? ' ' : '';
  box.setRangeText(`${before}${emoji}${isName ? ' ' : ''}`, selectionStart, selectionEnd, 'end');
  box.focus();
  return box.value;
}

/** The draft; it outlives the page. */
function useDraft({ key, channelId, threadId }: Timeline) {
  const { drafts, syncedDrafts, typists } = useApp();
  const [text, setText] = useState(() => drafts.of(key));
  useEffect(() => {
    syncedDrafts.follow({ channelId, threadId });
    return drafts.follow(key, setText);
  }, [key]);
  const change = (value: string) => {
    setText(value);
    drafts.keep(key, value);
    if (value !== '') typists.publish(channelId, threadId);
  };
  return { text, change };
}

function sendTo(app: AppState, timeline: Timeline, message: MessageInput): void {
  // A refusal is shown below the message.
  app.client
    .channel(timeline.channelId)
    .send(message)
    .catch(() => {});
  app.typists.sent();
  if (timeline.hasNewer.peek()) void timeline.showNewest();
}

function showEnd(ref: RefObject<HTMLTextAreaElement | null>): void {
  ref.current?.closest('.conversation')?.querySelector('.scroller')?.scrollTo({ top: 0 });
}

function editLast(app: AppState, timeline: Timeline, event: KeyboardEvent): void {
  const own = timeline.messages.peek().findLast(({ authorId }) => authorId === app.me.value?.id);
  if (!own) return;
  event.preventDefault();
  app.drafts.editing.value = own.id;
}
