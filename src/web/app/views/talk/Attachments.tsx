import { useState } from 'preact/hooks';
import { type Attachment, sizeOf } from '../../state/attachments.ts';
import { Icon } from '../parts/Icon.tsx';
import { isPicture, Pictures, type SizedPicture } from './Pictures.tsx';
import { useLink } from './useLink.ts';

export function Attachments({ list }: { list: Attachment[] }) {
  const [opened, setOpened] = useState<string | null>(null);
  if (list.length === 0) return null;
  return (
    <>
      <ul class="attachments">
        {list.map((attachment) => (
          <li key={attachment.id}>
            {isPicture(attachment) ? (
              <Picture picture={attachment} onOpen={() => setOpened(attachment.id)} />
            ) : (
              <File attachment={attachment} />
            )}
          </li>
        ))}
      </ul>
      {opened && (
        <Pictures list={list.filter(isPicture)} id={opened} onGo={setOpened} onClose={() => setOpened(null)} />
      )}
    </>
  );
}

/** So large (in pixels) a picture is at most. */
const widest = 420;
const tallest = 320;

function Picture({ picture, onOpen }: { picture: SizedPicture; onOpen(): void }) {
  const { src, href, again, opens } = useLink(picture);
  const { filename, width, height } = picture;
  // The link has its room before the picture is there, so nothing jumps: without a source a picture has no size.
  const shown = width * Math.min(1, widest / width, tallest / height);
  const click = (event: MouseEvent) => {
    // Who wants another tab gets it, with the original.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <a
      class="picture"
      style={{ width: `${shown}px`, aspectRatio: `${width} / ${height}` }}
      href={href}
      {...opens}
      aria-haspopup="dialog"
      onClick={click}
    >
      <img src={src} alt={filename} loading="lazy" onError={again} />
    </a>
  );
}

function File({ attachment }: { attachment: Attachment }) {
  const { href, opens } = useLink(attachment);
  const { filename, size } = attachment;
  return (
    <a class="file" href={href} {...opens} download={filename}>
      <Icon name="file" /> <span class="name">{filename}</span> <span class="faint">{sizeOf(size)}</span>
    </a>
  );
}
