import { useState } from 'preact/hooks';
import { sizeOf } from '../../state/attachments.ts';
import { Icon } from '../parts/Icon.tsx';
import { PictureViewer } from './PictureViewer.tsx';
import { type Attachment, useLink } from './useLink.ts';

export function Attachments({ list }: { list: Attachment[] }) {
  const [opened, setOpened] = useState<string>();
  if (list.length === 0) return null;
  const pictures = list.filter(isPicture);
  const isOpened = pictures.some(({ id }) => id === opened);
  return (
    <>
      <ul class="attachments">
        {list.map((attachment) => (
          <li key={attachment.id}>
            <File attachment={attachment} onOpen={() => setOpened(attachment.id)} />
          </li>
        ))}
      </ul>
      {opened && isOpened && (
        <PictureViewer pictures={pictures} shown={opened} onShow={setOpened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

/** So large (in pixels) a picture is at most. */
const widest = 420;
const tallest = 320;
/** Those of other kinds, or of unknown size, are files that one downloads. */
const isPicture = ({ contentType, width, height }: Attachment): boolean =>
  contentType.startsWith('image/') && Boolean(width && height);

function File({ attachment, onOpen }: { attachment: Attachment; onOpen(): void }) {
  const { src, href, again, renew } = useLink(attachment);
  const { filename, width, height, size } = attachment;
  if (isPicture(attachment) && width && height) {
    // It has its room before the picture is there, so nothing jumps: without a source a picture has no size.
    const shown = width * Math.min(1, widest / width, tallest / height);
    return (
      <button
        type="button"
        class="picture"
        style={{ width: `${shown}px`, aspectRatio: `${width} / ${height}` }}
        aria-haspopup="dialog"
        onClick={onOpen}
      >
        <img src={src} alt={filename} loading="lazy" onError={again} />
      </button>
    );
  }
  return (
    <a
      class="file"
      href={href}
      target="_blank"
      rel="noopener"
      onPointerEnter={renew}
      onFocus={renew}
      download={filename}
    >
      <Icon name="file" /> <span class="name">{filename}</span> <span class="faint">{sizeOf(size)}</span>
    </a>
  );
}
