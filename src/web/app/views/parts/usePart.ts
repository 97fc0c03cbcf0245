import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/**
 * A component that is loaded once it is wanted, and without which one can do.
 * @returns null until it is there, and where it cannot be loaded
 */
export function usePart<P>(isWanted: boolean, load: () => Promise<ComponentType<P>>): ComponentType<P> | null {
  const [Part, set] = useState<ComponentType<P> | null>(null);
  useEffect(() => {
    if (!isWanted || Part) return;
    load().then(
      (loaded) => set(() => loaded),
      () => {},
    );
  }, [isWanted]);
  return isWanted ? Part : null;
}
