import { useEffect, useRef, useState } from 'preact/hooks';
import { type Message, ParleyError } from '../../../../client/index.ts';
import { linkTo, sizeOf } from '../../state/attachments.ts';
import { whenItMayWork } from '../../state/reading.ts';
import { Icon } from '../parts/Icon.tsx';

type Attachment = Message['attachments'][number];

export function Attachments({ list }: { list: Attachment[] }) {
  if (list.length === 0) return null;
  return (
    <ul class="attachments">
      {list.map((attachment) => (
        <li key={attachment.id}>
          <File attachment={attachment} />
        </li>
      ))}
    </ul>
  );
}

/** So large (in pixels) a picture is at most. */
const widest = 420;
const tallest = 320;
/** So often a picture is fetched that does not come. */
const mostTries = 3;

/** Where a file is shown from, and where it is opened: links hold for minutes only, and messages are looked at for longer. */
function useLink(attachment: Attachment) {
  const [src, setSrc] = useState<string>();
  const [href, setHref] = useState<string>();
  const tries = useRef(0);
  const forget = useRef(() => {});
  const ask = () => {
    let wanted = true;
    forget.current = () => {
      wanted = false;
    };
    linkTo(attachment).then(
      (url) => {
        if (!wanted) return;
        setSrc(url);
        setHref(url);
      },
      (error) => {
        if (wanted && error instanceof ParleyError && error.isPassing) forget.current = whenItMayWork(ask);
      },
    );
  };
  useEffect(() => {
    ask();
    return () => forget.current();
  }, [attachment.id]);
  const again = () => {
    if (++tries.current > mostTries) return;
    setSrc(undefined);
    forget.current();
    forget.current = whenItMayWork(ask);
  };
  const renew = () => void linkTo(attachment).then(setHref, () => {});
  return { src, href, again, renew };
}

function File({ attachment }: { attachment: Attachment }) {
  const { src, href, again, renew } = useLink(attachment);
  const { filename, width, height, contentType, size } = attachment;
  const opens = { href, target: '_blank', rel: 'noopener', onPointerEnter: renew, onFocus: renew };
  if (contentType.startsWith('image/') && width && height) {
    // The link has its room before the picture is there, so nothing jumps: without a source a picture has no size.
    const shown = width * Math.min(1, widest / width, tallest / height);
    return (
      <a class="picture" style={{ width: `${shown}px`, aspectRatio: `${width} / ${height}` }} {...opens}>
        <img src={src} alt={filename} loading="lazy" onError={again} />
      </a>
    );
  }
  return (
    <a class="file" {...opens} download={filename}>
      <Icon name="file" /> <span class="name">{filename}</span> <span class="faint">{sizeOf(size)}</span>
    </a>
  );
}
