import { useEffect, useState } from 'preact/hooks';
import { reading } from '../../state/reading.ts';
import { attempt } from '../../state/toasts.ts';

interface Loaded<T> {
  /** Null until it has come. */
  value: T | null;
  load(): Promise<void>;
  /** Does something and reads anew; what goes wrong is said. */
  after(change: () => Promise<unknown>): void;
}

/** Something that is read when it is shown, when what it depends on changes, and after each change made here. */
export function useLoaded<T>(read: () => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const load = async () => setValue(await read());
  useEffect(() => {
    setValue(null);
    let wanted = true;
    const end = reading(async () => {
      const found = await read();
      if (wanted) setValue(found);
    });
    return () => {
      wanted = false;
      end();
    };
  }, on);
  const after = (change: () => Promise<unknown>) => void attempt(() => change().then(load));
  return { value, load, after };
}

interface Paged<T> {
  /** Null until its first page has come. */
  list: readonly T[] | null;
  /** Begins anew. */
  load(): Promise<void>;
  /** Reads what comes next, where there may be more. */
  onMore: (() => Promise<unknown>) | undefined;
}

/**
 * A list that is read page by page, as one asks for more.
 * @param read takes what is known already
 */
export function usePages<T>(
  pageSize: number,
  read: (known: readonly T[]) => Promise<readonly T[]>,
  on: readonly unknown[],
): Paged<T> {
  const { value: first, load } = useLoaded(() => read([]), on);
  const [further, setFurther] = useState<{ behind: unknown; pages: readonly (readonly T[])[] }>(nothingFurther);
  if (!first) return { list: null, load, onMore: undefined };
  const pages = [first, ...(further.behind === first ? further.pages : [])];
  const list = pages.flat();
  const onMore = () =>
    attempt(async () => {
      const next = await read(list);
      setFurther({ behind: first, pages: [...pages.slice(1), next] });
    });
  return { list, load, onMore: pages.at(-1)?.length === pageSize ? onMore : undefined };
}

const nothingFurther = { behind: null, pages: [] };
