import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { LatestAnswer } from '../../state/latest-answer.ts';
import { useApp } from '../useApp.ts';

interface Loaded<T> {
  /** Null until it is loaded. */
  value: T | null;
  load(): Promise<void>;
  /** Changes what is shown, as an event tells; nothing before it is loaded. */
  update(change: (value: T) => T): void;
  /** Makes a change and loads again, also when it failed, which is shown. */
  after(change: () => Promise<unknown>): void;
}

/** Data that is loaded when it is shown, when what it depends on changes, and after each change made here. */
export function useLoaded<T>(read: () => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const { connection, attempt } = useApp();
  const [value, setValue] = useState<T | null>(null);
  const latest = useMemo(() => new LatestAnswer(), on);
  const wanted = useRef<LatestAnswer | null>(null);
  const load = () =>
    latest.read(read, (found) => {
      if (wanted.current === latest) setValue(found);
    });
  useEffect(() => {
    setValue(null);
    wanted.current = latest;
    const end = connection.load(load);
    return () => {
      wanted.current = null;
      end();
    };
  }, on);
  // Also after a failure: what was ticked or chosen is as it was.
  const after = (change: () => Promise<unknown>) => void attempt(change).then(() => attempt(load));
  const update = (change: (value: T) => T) => {
    latest.changed();
    setValue((now) => (now === null ? now : change(now)));
  };
  return { value, load, update, after };
}

interface Paged<T> {
  /** Null until its first page is loaded. */
  list: readonly T[] | null;
  /** Loads what is shown again. */
  load(): Promise<void>;
  /** Loads the next page; undefined: there is none. */
  onMore: (() => Promise<unknown>) | undefined;
}

/**
 * A list that is loaded page by page on demand.
 * @param read gets what is loaded already
 */
export function usePages<T>(
  pageSize: number,
  read: (known: readonly T[]) => Promise<readonly T[]>,
  on: readonly unknown[],
): Paged<T> {
  const { attempt } = useApp();
  const shown = useRef(1);
  useEffect(() => {
    shown.current = 1;
  }, on);
  const isFull = (pages: readonly (readonly T[])[]) => pages.at(-1)?.length === pageSize;
  const { value, load, update } = useLoaded(async () => {
    let pages: readonly (readonly T[])[] = [await read([])];
    while (pages.length < shown.current && isFull(pages)) pages = [...pages, await read(pages.flat())];
    return pages;
  }, on);
  if (!value) return { list: null, load, onMore: undefined };
  const list = value.flat();
  const onMore = () =>
    attempt(async () => {
      const next = await read(list);
      shown.current = value.length + 1;
      // What was loaded again meanwhile may end elsewhere.
      update((now) => (now === value ? [...now, next] : now));
    });
  return { list, load, onMore: isFull(value) ? onMore : undefined };
}
