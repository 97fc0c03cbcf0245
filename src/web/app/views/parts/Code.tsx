import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp, usePage, useTexts } from '../useApp.ts';
import { IconButton } from './Button.tsx';
import type { Token } from './highlight.ts';

/** Longer code stays as it is: it must never hold the page. */
const maxHighlighted = 10_000;

interface Highlighted {
  /** What it belongs to. */
  text: string;
  language: string;
  name: string | null;
  tokens: readonly Token[] | null;
}

/** The pieces of code, once the library for that is there. */
function useHighlighted(text: string, language: string): Highlighted | null {
  const { turns } = usePage();
  const [found, setFound] = useState<Highlighted | null>(null);
  useEffect(() => {
    if (language === '' || text.length > maxHighlighted) return;
    let wanted = true;
    const highlight = async () => {
      if (!wanted) return;
      const { nameOf, tokensOf } = await import('./highlight.ts');
      if (wanted) setFound({ text, language, name: nameOf(language), tokens: tokensOf(text, language) });
    };
    // Without it the code is readable too.
    turns.take(() => highlight().catch(() => {}));
    return () => {
      wanted = false;
    };
  }, [text, language]);
  return found?.text === text && found.language === language ? found : null;
}

/** Lets the keyboard scroll code that is wider than its place, from the first moment on in which it is there. */
function useReach(ref: RefObject<HTMLElement | null>, isWanted: boolean, text: string): void {
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box || !isWanted) return;
    const measure = () => {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute('tabindex');
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [isWanted, text]);
}

interface CodeProps {
  text: string;
  /** As it was typed; empty: not said. */
  language: string;
  /** For a few lines within a link. */
  plain: boolean;
}

/** A block of code, with the name of its language, its colours, and a button that copies it. */
export function Code({ text, language, plain }: CodeProps) {
  const { t } = useTexts();
  const { copy } = useApp();
  const highlighted = useHighlighted(text, plain ? '' : language);
  const ref = useRef<HTMLPreElement>(null);
  useReach(ref, !plain, text);
  const code = (
    <pre ref={ref}>
      <code>
        {highlighted?.tokens?.map((token, i) =>
          token.kind ? (
            <span key={i} class={token.kind}>
              {token.text}
            </span>
          ) : (
            token.text
          ),
        ) ?? text}
      </code>
    </pre>
  );
  if (plain) return code;
  // Only secure pages have a clipboard.
  const button = navigator.clipboard && (
    <IconButton icon="copy" label={t('Copy the code')} onClick={() => void copy(text)} />
  );
  if (language === '') {
    return (
      <div class="snippet">
        {code}
        {button}
      </div>
    );
  }
  return (
    <div class="snippet">
      <div class="snippet-bar">
        <span class="language">{highlighted?.name ?? language}</span>
        {button}
      </div>
      {code}
    </div>
  );
}
