import { signal } from '@preact/signals';
import { ParleyError } from '../../../client/index.ts';
import type { Scope } from './scope.ts';

export interface Toast {
  id: number;
  text: string;
  kind: 'good' | 'bad';
  /** Where to see what it is about. */
  href: string | undefined;
}

const shownMs = 6000;
const maxShown = 4;

/** Short notices at the edge of the window. */
export class Toasts {
  readonly list = signal<readonly Toast[]>([]);
  private readonly scope: Scope;
  private count = 0;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  readonly show = (text: string, kind: Toast['kind'] = 'good', href?: string): void => {
    if (this.scope.isOver) return;
    const toast = { id: ++this.count, text, kind, href };
    // A repeated text is shown once.
    const others = this.list.peek().filter((known) => known.text !== text);
    this.list.value = [...others, toast].slice(-maxShown);
    this.scope.after(shownMs, () => this.dismiss(toast.id));
  };

  dismiss(id: number): void {
    this.list.value = this.list.peek().filter((toast) => toast.id !== id);
  }

  /** Runs an action of the user, and shows its failure. @returns whether it succeeded */
  readonly attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      this.show(errorText(error), 'bad');
      return false;
    }
  };
}

/** One sentence for the user. */
export function errorText(error: unknown): string {
  if (error instanceof ParleyError && error.code === 'NETWORK') return 'The server cannot be reached. Try again.';
  return error instanceof Error ? error.message : 'That did not work.';
}
