import { type Signal, signal } from '@preact/signals';
import type { Core } from './session.ts';

/** Someone whose profile may be opened, as far as they are known where they are named. */
export interface Person {
  id: string;
  displayName: string;
  username?: string;
  avatarUrl?: string | null;
  isBot?: boolean;
}

/** A place on the screen, in pixels. */
export interface Box {
  left: number;
  right: number;
  top: number;
}

/** So many names are asked for by ids in texts: each is a call. */
const maxNames = 200;

/** Whose profile is shown, and beside what; and the names of people whom nothing else on the page knows. */
export class Profiles {
  readonly shown = signal<{ person: Person; beside: Box } | null>(null);
  private readonly core: Pick<Core, 'client' | 'scope'>;
  private readonly names = new Map<string, Signal<string | undefined>>();
  private readonly wanted: string[] = [];

  constructor(core: Pick<Core, 'client' | 'scope'>) {
    this.core = core;
  }

  readonly open = (person: Person, beside: Box): void => {
    this.shown.value = { person, beside };
  };

  readonly close = (): void => {
    this.shown.value = null;
  };

  /** What someone is called; undefined: not known yet, or there is nobody with this id. */
  nameOf(id: string): string | undefined {
    const known = this.names.get(id);
    if (known || this.names.size === maxNames) return known?.value;
    const name = signal<string | undefined>(undefined);
    this.names.set(id, name);
    // Those of a page are asked for one after the other, once it is drawn.
    if (this.wanted.push(id) === 1) this.core.scope.after(0, () => void this.ask());
    return name.value;
  }

  private async ask(): Promise<void> {
    for (let id = this.wanted[0]; id !== undefined; id = this.wanted[0]) {
      const user = await this.core.client.rest('GET /api/auth/users/:id', { id }).catch(() => null);
      const name = this.names.get(id);
      if (name && user) name.value = user.displayName;
      this.wanted.shift();
    }
  }
}
