import { useState } from 'preact/hooks';
import type { Attachment } from '../../state/attachments.ts';
import { connection } from '../../state/client.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Icon } from '../parts/Icon.tsx';
import { IconButton } from '../parts/IconButton.tsx';
import { useLink } from './useLink.ts';

/** A picture of which it is known how much room it takes. */
export type SizedPicture = Attachment & { width: number; height: number };

export const isPicture = (file: Attachment): file is SizedPicture =>
  file.contentType.startsWith('image/') && Boolean(file.width && file.height);

interface PicturesProps {
  list: readonly SizedPicture[];
  /** Which one is shown. */
  id: string;
  onGo(id: string): void;
  onClose(): void;
}

/** The pictures of a message, one at a time and as large as there is room. */
export function Pictures({ list, id, onGo, onClose }: PicturesProps) {
  const at = list.findIndex((one) => one.id === id);
  const picture = list[at];
  if (!picture) return null;
  const { filename } = picture;
  const walk = (step: number) => {
    const next = list.at((at + step) % list.length);
    if (next) onGo(next.id);
  };
  const press = (event: KeyboardEvent) => {
    // With Alt they go back in the history, with others the browser's own ways.
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!isPlain || step === 0) return;
    event.preventDefault();
    walk(step);
  };
  return (
    <Dialog title={filename} size="full" onKeyDown={press} onClose={onClose}>
      <Large picture={picture} />
      {list.length > 1 && (
        <nav aria-label="Pictures">
          <IconButton icon="back" label="Previous picture" onClick={() => walk(-1)} />
          <p class="faint" role="status">
            <span class="hidden">{filename}, </span>
            {at + 1} of {list.length}
          </p>
          <IconButton icon="forward" label="Next picture" onClick={() => walk(1)} />
        </nav>
      )}
    </Dialog>
  );
}

/** What shows one goes on to show the next: a link that has the focus keeps it. */
function Large({ picture }: { picture: SizedPicture }) {
  const { src, href, problem, again, opens } = useLink(picture);
  const [there, setThere] = useState<string>();
  const waiting =
    connection.value.status === 'offline'
      ? 'The server cannot be reached. The picture comes when it can.'
      : 'One moment…';
  const label = 'Open the original in a tab of its own';
  return (
    <>
      {/* Its name is text: as long as it leads nowhere it may have no label. */}
      <a class="icon original" href={href} {...opens} tabIndex={0} title={label}>
        <Icon name="open" />
        <span class="hidden">{label}</span>
      </a>
      <div class="stage">
        {(!src || there !== src) && (
          <p class={problem ? 'bad' : 'faint'} role="status">
            {problem ?? waiting}
          </p>
        )}
        {src && !problem && (
          <img key={src} src={src} alt={picture.filename} onLoad={() => setThere(src)} onError={again} />
        )}
      </div>
    </>
  );
}
