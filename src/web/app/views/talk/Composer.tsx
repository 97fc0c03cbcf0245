import { connection } from '../../state/client.ts';
import { addFiles, dropComing, dropFile } from '../../state/outgoing-files.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Icon } from '../parts/Icon.tsx';
import { AddFiles, Answering, FileList, Typists } from './ComposerParts.tsx';
import { Leftover } from './Leftover.tsx';
import { listOf, Suggestions } from './Suggestions.tsx';
import { type Composing, maxLength, useComposer } from './useComposer.ts';

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
