import { useEffect, useRef, useState } from 'preact/hooks';
import { ParleyError } from '../../../../client/index.ts';
import type { Attachment } from '../../state/attachments.ts';
import { errorText } from '../../state/toasts.ts';
import { useApp, useTexts } from '../useApp.ts';

/** How often a picture is requested that fails. */
const maxTries = 3;

/** The URL of a file, for showing and for opening it. URLs are valid for minutes only, so they are renewed. */
export function useLink(attachment: Attachment) {
  const texts = useTexts();
  const { attachments, connection } = useApp();
  const [src, setSrc] = useState<string>();
  const [href, setHref] = useState<string>();
  /** Why it cannot be loaded. */
  const [problem, setProblem] = useState<string>();
  const tries = useRef(0);
  const forget = useRef(() => {});
  const ask = () => {
    let wanted = true;
    forget.current = () => {
      wanted = false;
    };
    attachments.linkTo(attachment).then(
      (url) => {
        if (!wanted) return;
        setSrc(url);
        setHref(url);
      },
      (error) => {
        if (!wanted) return;
        if (error instanceof ParleyError && error.isPassing) forget.current = connection.whenReachable(ask);
        else setProblem(errorText(error, texts));
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
    if (++tries.current > maxTries) return setProblem(texts.t('This picture cannot be shown.'));
    setSrc(undefined);
    forget.current();
    forget.current = connection.whenReachable(ask);
  };
  const renew = () => void attachments.linkTo(attachment).then(setHref, () => {});
  const opens = { target: '_blank', rel: 'noopener', onPointerEnter: renew, onFocus: renew };
  return { src, href, problem, again, opens };
}
