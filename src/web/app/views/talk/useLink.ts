import { useEffect, useRef, useState } from 'preact/hooks';
import { type Message, ParleyError } from '../../../../client/index.ts';
import { linkTo } from '../../state/attachments.ts';
import { whenItMayWork } from '../../state/reading.ts';

export type Attachment = Message['attachments'][number];

/** So often a picture is fetched that does not come. */
const mostTries = 3;

/** Where a file is shown from, and where it is opened: links hold for minutes only, and messages are looked at for longer. */
export function useLink(attachment: Attachment) {
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
