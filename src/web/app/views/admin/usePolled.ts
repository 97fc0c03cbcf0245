import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../useApp.ts';

/**
 * What is read again and again while it is shown, and the page is.
 * @param read gets what is known; a failure leaves it, the next time tells
 */
export function usePolled<T>(everyMs: number, first: T, read: (known: T) => Promise<T>): T {
  const { connection } = useApp();
  const [value, setValue] = useState(first);
  const known = useRef(first);
  useEffect(() => {
    let wanted = true;
    let isReading = false;
    const once = async () => {
      if (isReading) return;
      isReading = true;
      try {
        const next = await read(known.current);
        known.current = next;
        if (wanted) setValue(next);
      } finally {
        isReading = false;
      }
    };
    const end = connection.load(once);
    const timer = setInterval(() => {
      if (!document.hidden) once().catch(() => {});
    }, everyMs);
    return () => {
      wanted = false;
      clearInterval(timer);
      end();
    };
  }, []);
  return value;
}
