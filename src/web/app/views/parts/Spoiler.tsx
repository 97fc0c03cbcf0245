import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useTexts } from '../useApp.ts';

interface SpoilerProps {
  /** What it hides: another one is hidden again. */
  of: string;
  label: string;
  /** Drawn only once it is shown: before that it is nowhere on the page. */
  children(): ComponentChildren;
}

/** Something that is shown to those who ask for it, by a click or a key. The focus stays there. */
export function Spoiler({ of, label, children }: SpoilerProps) {
  const { t } = useTexts();
  const [shown, setShown] = useState<string | null>(null);
  const ref = useRef<HTMLSpanElement>(null);
  const isShown = shown === of;
  useLayoutEffect(() => {
    if (isShown) ref.current?.focus();
  }, [isShown]);
  if (isShown) {
    return (
      <span class="spoiler shown" ref={ref} tabIndex={-1}>
        {children()}
      </span>
    );
  }
  return (
    <button type="button" class="spoiler" aria-label={t('{label}: show it', { label })} onClick={() => setShown(of)}>
      {label}
    </button>
  );
}
