import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PictureSize } from '../../state/pictures.ts';
import { useApp } from '../useApp.ts';

interface PictureProps {
  url: string | null;
  size?: PictureSize;
  /** In place of one that is missing, or cannot be shown. */
  children?: ComponentChildren;
}

/** The picture of a person or place, without its description: a name stands beside it. */
export function Picture({ url, size = 'small', children }: PictureProps) {
  const { pictures } = useApp();
  const [broken, setBroken] = useState<string | null>(null);
  const src = pictures.src(url, size);
  if (src === null || src === broken) return <>{children}</>;
  return <img src={src} alt="" loading="lazy" onError={() => setBroken(src)} />;
}
