import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { reloadIfReachable } from '../../browser.ts';
import { useTexts } from '../useApp.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';

type Load<P> = () => Promise<ComponentType<P>>;

interface Loading<P> {
  /** Null until it is loaded. */
  Part: ComponentType<P> | null;
  hasFailed: boolean;
}

interface Retry {
  onRetry(): void;
}

/**
 * A page whose script is loaded when it is first shown.
 * @param load rejects when it cannot be loaded
 * @param Frame what stands for it until then: `main` where nothing is around it
 */
export function lazyPage<P extends object>(load: Load<P>, Frame: 'section' | 'main' = 'section'): ComponentType<P> {
  const usePart = partOf(load);
  return function Page(props: P) {
    const { Part, hasFailed, onRetry } = usePart();
    if (Part) return <Part {...props} />;
    return <Frame class="blank">{hasFailed ? <Failed onRetry={onRetry} /> : <Coming />}</Frame>;
  };
}

/** A dialog whose script is loaded when it is first shown. @param load rejects when it cannot be loaded */
export function lazyDialog<P extends { onClose(): void }>(load: Load<P>): ComponentType<P> {
  const usePart = partOf(load);
  return function PartDialog(props: P) {
    const { t } = useTexts();
    const { Part, hasFailed, onRetry } = usePart();
    if (Part) return <Part {...props} />;
    if (hasFailed) {
      return (
        <Dialog title={t('This could not be loaded')} onClose={props.onClose}>
          <Why onRetry={onRetry} />
        </Dialog>
      );
    }
    // Without the focus, which is given back by the dialog to where it was.
    return (
      <p class="toasts late" role="status">
        <span class="toast">{t('Loading…')}</span>
      </p>
    );
  };
}

/** A part of a page whose script is loaded when it is first shown: nothing is there until then. @param load rejects when it cannot be loaded */
export function lazyPart<P extends object>(load: Load<P>): ComponentType<P> {
  const usePart = partOf(load);
  return function LaterPart(props: P) {
    const { Part } = usePart();
    return Part && <Part {...props} />;
  };
}

/** A hook that loads a part. What is there is shown at once from then on: code is the same for every session. */
function partOf<P>(load: Load<P>): () => Loading<P> & Retry {
  let loaded: ComponentType<P> | null = null;
  return () => {
    const [loading, set] = useState<Loading<P>>({ Part: loaded, hasFailed: false });
    const start = async (onFailure?: () => Promise<void>) => {
      set({ Part: null, hasFailed: false });
      try {
        loaded = await load();
        set({ Part: loaded, hasFailed: false });
      } catch {
        await onFailure?.();
        set({ Part: null, hasFailed: true });
      }
    };
    useEffect(() => {
      if (!loading.Part) void start();
    }, []);
    // Some browsers never ask again for a script that failed, and a new version has other ones: a new page gets it.
    return { ...loading, onRetry: () => void start(reloadIfReachable) };
  };
}

/** A heading, so that it has the focus where that was on the page before; then that of the page takes it over. */
function Coming() {
  const { t } = useTexts();
  return <h1 class="late">{t('Loading…')}</h1>;
}

function Failed({ onRetry }: Retry) {
  const { t } = useTexts();
  return (
    <>
      <h1>{t('This could not be loaded')}</h1>
      <Why onRetry={onRetry} />
    </>
  );
}

function Why({ onRetry }: Retry) {
  const { t } = useTexts();
  return (
    <>
      <p role="alert">
        {t('The server cannot be reached, or there is a new version of Parley: for that the page is reloaded.')}
      </p>
      <Button label={t('Try again')} onClick={onRetry} />
    </>
  );
}
