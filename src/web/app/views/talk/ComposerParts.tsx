import { useLayoutEffect } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { activities } from '../../state/activities.ts';
import type { Attachment } from '../../state/attachments.ts';
import { connection } from '../../state/client.ts';
import { replyTo } from '../../state/drafts.ts';
import { addFiles } from '../../state/outgoing-files.ts';
import type { Timeline } from '../../state/timeline.ts';
import { tell } from '../../state/toasts.ts';
import { typists } from '../../state/typing.ts';
import { useDrop } from '../parts/dropping.ts';
import { Icon } from '../parts/Icon.tsx';

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

/** The box is as high as its text, up to a limit of the style. */
export function useGrowth(ref: { current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return;
    box.style.height = 'auto';
    // Without text it would be as high as what stands there instead of it.
    if (text !== '') box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
  }, [ref, text]);
}
