import { useEffect, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import { linkTo, sizeOf } from '../../state/attachments.ts';
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

function File({ attachment }: { attachment: Attachment }) {
  const [url, setUrl] = useState<string>();
  const { filename, width, height, contentType, size } = attachment;
  useEffect(() => {
    let wanted = true;
    linkTo(attachment).then(
      (link) => wanted && setUrl(link),
      () => {},
    );
    return () => {
      wanted = false;
    };
  }, [attachment]);
  if (contentType.startsWith('image/') && width && height) {
    // Its room is known before it is there, so nothing jumps.
    return (
      <a href={url} target="_blank" rel="noopener">
        <img class="picture" src={url} alt={filename} width={width} height={height} loading="lazy" />
      </a>
    );
  }
  return (
    <a class="file" href={url} target="_blank" rel="noopener" download={filename}>
      <Icon name="file" /> <span class="name">{filename}</span> <span class="faint">{sizeOf(size)}</span>
    </a>
  );
}
