import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message, MessageInput } from '../../../../client/index.ts';
import { activities } from '../../state/activities.ts';
import type { Attachment } from '../../state/attachments.ts';
import { connection, me, parley } from '../../state/client.ts';
import { draftOf, editing, followDraft, keepDraft, replyTo } from '../../state/drafts.ts';
import { isComposing, isReady, isTouched } from '../../state/keyboard.ts';
import { addFiles, dropComing, dropFile, filesFor, letGo } from '../../state/outgoing-files.ts';
import type { Timeline } from '../../state/timeline.ts';
import { tell } from '../../state/toasts.ts';
import { tellTyping, typedAll, typists } from '../../state/typing.ts';
import { useDrop } from '../parts/dropping.ts';
import { Icon } from '../parts/Icon.tsx';
import { listOf, Suggestions, useGrowth, useSuggestions } from './Suggestions.tsx';
import { Leftover } from './Unsent.tsx';

/** So many characters before the limit the count is shown. */
const tellBefore = 500;

interface ComposerProps {
  timeline: Timeline;
  name: string;
  /** Why nothing can be said here, where that is so. */
  closed: string | null;
}

export function Composer({ timeline, name, closed }: ComposerProps) {
  if (closed) {
    return (
      <>
        <p class="closed">{closed}</p>
        <Leftover timeline={timeline} />
      </>
    );
  }
  return <OpenComposer timeline={timeline} name={name} />;
}

function OpenComposer({ timeline, name }: { timeline: Timeline; name: string }) {
  const { channelId, threadId } = timeline;
  const composing = useComposer(timeline);
  const { answered, files, coming, suggesting } = composing;
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
      <Answering message={answered} />
      <FileList
        files={files}
        coming={coming}
        onRemove={(file) => dropFile(timeline.key, file)}
        onStop={(file) => dropComing(timeline.key, file)}
      />
      <TextBox id={id} name={name} composing={composing} onFiles={(list) => void addFiles(timeline.key, list)} />
      <Typists channelId={channelId} threadId={threadId} />
    </form>
  );
}

interface TextBoxProps {
  id: string;
  name: string;
  composing: Composing;
  onFiles(list: readonly File[]): void;
}

function TextBox({ id, name, composing, onFiles }: TextBoxProps) {
  const { ref, text, change, press, suggesting, blocked } = composing;
  const offline = connection.value.status === 'offline';
  const left = maxLength - text.length;
  return (
    <div class="box">
      <AddFiles onChoose={onFiles} />
      <textarea
        id={id}
        ref={ref}
        rows={1}
        value={text}
        aria-label={`Message ${name}`}
        {...listOf(`${id}-list`, suggesting)}
        placeholder={offline ? 'Offline: what you write is sent later' : `Message ${name}`}
        onInput={(event) => {
          change(event.currentTarget.value);
          suggesting.typed();
        }}
        onKeyDown={press}
        onPaste={(event) => onFiles([...(event.clipboardData?.files ?? [])])}
      />
      {left < tellBefore && <span class={left < 0 ? 'count bad' : 'count'}>{left}</span>}
      <button type="submit" class="send" aria-label="Send" disabled={blocked}>
        <Icon name="send" />
      </button>
    </div>
  );
}

interface FileListProps {
  files: readonly Attachment[];
  coming: readonly File[];
  onRemove(file: Attachment): void;
  onStop(file: File): void;
}

export function FileList({ files, coming, onRemove, onStop }: FileListProps) {
  if (files.length === 0 && coming.length === 0) return null;
  const waits = connection.value.status === 'offline' ? 'waits for a connection' : 'uploading…';
  return (
    <ul class="files" aria-label="Files to send">
      {files.map((file) => (
        <FileToSend key={file.id} name={file.filename} onRemove={() => onRemove(file)} />
      ))}
      {coming.map((file, i) => (
        <FileToSend key={`${i} ${file.name}`} name={file.name} state={waits} onRemove={() => onStop(file)} />
      ))}
    </ul>
  );
}

function FileToSend({ name, state, onRemove }: { name: string; state?: string; onRemove(): void }) {
  return (
    <li>
      <span>
        {name}
        {state && (
          <span class="faint" role="status">
            {' '}
            {state}
          </span>
        )}
      </span>
      <button type="button" class="link" aria-label={`Do not send ${name}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  );
}

export function AddFiles({ onChoose }: { onChoose(files: readonly File[]): void }) {
  return (
    <label class="icon attach" title="Add files">
      <Icon name="add" />
      <input
        type="file"
        class="hidden"
        aria-label="Add files"
        multiple
        onChange={(event) => {
          onChoose([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}

export function Answering({ message }: { message: Message | null }) {
  if (!message) return null;
  const stop = () => {
    replyTo.value = null;
  };
  return (
    <div class="answering">
      <span>
        Replying to <strong>{message.author.displayName}</strong>
      </span>
      <button type="button" class="icon" aria-label="Do not reply" onClick={stop}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** How many activities there is room for. */
const mostShown = 3;

/** Its room is always there, so that nothing jumps. */
export function Typists({ channelId, threadId }: { channelId: string; threadId: string | null }) {
  const here = (typists.value.get(channelId) ?? []).filter((typist) => typist.threadId === threadId);
  const names = here.map(({ name }) => name);
  const list = new Intl.ListFormat('en').format(names);
  const several = names.length < 4 ? `${list} are typing…` : 'Several people are typing…';
  const typing = names.length === 0 ? [] : [names.length === 1 ? `${list} is typing…` : several];
  const doing = threadId === null ? (activities.value.get(channelId) ?? []) : [];
  const shown = doing.slice(0, mostShown).map(({ name, activity }) => `${name}: ${activity}`);
  return <p class="typists">{[...typing, ...shown].join(' · ')}</p>;
}

/** Files that are dropped anywhere on a conversation go with the next message, where one can be written. */
export function useFileDrop(timeline: Timeline, closed: string | null) {
  return useDrop(async (dropped) => {
    if (closed) return tell(closed, 'bad');
    const files = dropped.map(({ file }) => file);
    await addFiles(timeline.key, files);
  });
}

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
