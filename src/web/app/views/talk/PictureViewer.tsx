import { useEffect } from 'preact/hooks';
import { Dialog } from '../parts/Dialog.tsx';
import { IconButton } from '../parts/IconButton.tsx';
import { type Attachment, useLink } from './useLink.ts';

interface PictureViewerProps {
  pictures: Attachment[];
  /** The id of one of them. */
  shown: string;
  onShow(id: string): void;
  onClose(): void;
}

/** The pictures of a message, one at a time and as large as the window allows; arrow keys lead to the others. */
export function PictureViewer({ pictures, shown, onShow, onClose }: PictureViewerProps) {
  const at = pictures.findIndex(({ id }) => id === shown);
  const step = (by: number) => {
    const next = pictures.at((at + by) % pictures.length);
    if (next) onShow(next.id);
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      if (event.key === 'ArrowLeft') step(-1);
      if (event.key === 'ArrowRight') step(1);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
  const picture = pictures[at];
  if (!picture) return null;
  return (
    <Dialog title={picture.filename} wide onClose={onClose}>
      <Picture key={picture.id} picture={picture} />
      {pictures.length > 1 && (
        <footer class="turning">
          <IconButton icon="back" label="Previous picture" onClick={() => step(-1)} />
          <span role="status">
            {at + 1} of {pictures.length}
          </span>
          <IconButton icon="next" label="Next picture" onClick={() => step(1)} />
        </footer>
      )}
    </Dialog>
  );
}

function Picture({ picture }: { picture: Attachment }) {
  const { src, href, again, renew } = useLink(picture);
  const { filename, width, height } = picture;
  if (!width || !height) return null;
  // It has its room before the picture is there, and leaves room for what stands around it.
  const room = {
    width: `min(${width}px, calc((100dvh - 200px) * ${width / height}))`,
    aspectRatio: `${width} / ${height}`,
  };
  return (
    <>
      <div class="whole" style={room}>
        {src && <img src={src} alt={filename} onError={again} />}
      </div>
      <p class="original">
        <a href={href} target="_blank" rel="noopener" onPointerEnter={renew} onFocus={renew}>
          Open the original
        </a>
      </p>
    </>
  );
}
