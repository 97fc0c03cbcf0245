import { useEffect, useRef, useState } from 'preact/hooks';
import { ParleyError } from '../../../../client/index.ts';
import { type Attachment, linkTo } from '../../state/attachments.ts';
import { sentence } from '../../state/client.ts';
import { whenItMayWork } from '../../state/reading.ts';

/** So often a picture is fetched that does not come. */
const mostTries = 3;

/** Where a file is shown from, and how a link opens it: addresses hold for minutes only, and messages are looked at for longer. */
export function useLink(attachment: Attachment) {
  const [src, setSrc] = useState<string>();
  const [href, setHref] = useState<string>();
  /** Why it does not come, and will not. */
  const [problem, setProblem] = useState<string>();
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
        if (!wanted) return;
        if (error instanceof ParleyError && error.isPassing) forget.current = whenItMayWork(ask);
        else setProblem(sentence(error));
      },
    );
  };
  useEffect(() => {
    for (const set of [setSrc, setHref, setProblem]) set(undefined);
    tries.current = 0;
    ask();
    return () => forget.current();
  }, [attachment.id]);
  const again = () => {
    if (++tries.current > mostTries) return setProblem('This picture cannot be shown.');
    setSrc(undefined);
    forget.current();
    forget.current = whenItMayWork(ask);
  };
  const renew = () => void linkTo(attachment).then(setHref, () => {});
  const opens = { target: '_blank', rel: 'noopener', onPointerEnter: renew, onFocus: renew };
  return { src, href, problem, again, opens };
}
