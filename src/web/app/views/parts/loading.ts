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
