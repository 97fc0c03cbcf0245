import { type Signal, signal } from '@preact/signals';
import type { Scope } from './scope.ts';
import type { Asked } from './search-terms.ts';
import { keptKeys } from './surroundings.ts';

export type PanelKind = 'members' | 'search';

/** What is shown beside a conversation, whichever that is. */
export class SidePanel {
  readonly kind: Signal<PanelKind | null>;
  /** What is looked for; null: nothing yet. It stays while the panel does, and where the panel gives way to what was found. */
  readonly asked = signal<Asked | null>(null);
  /** Counts the times that someone wants to type what they look for. */
  readonly turn = signal(0);
  private readonly scope: Scope;

  /** @param isRoomy whether there is room beside what is shown: then the members are shown again after a reload */
  constructor(scope: Scope, isRoomy: () => boolean) {
    this.scope = scope;
    this.kind = signal(isRoomy() && scope.local.getItem(keptKeys.panel) === 'members' ? 'members' : null);
  }

  /** Lets someone type what they look for. */
  search(asked: Asked | null = this.asked.peek()): void {
    this.asked.value = asked;
    this.kind.value = 'search';
    this.turn.value++;
  }

  toggleMembers(): void {
    if (this.kind.peek() === 'members') {
      this.close();
    } else {
      this.kind.value = 'members';
      this.scope.local.setItem(keptKeys.panel, 'members');
    }
  }

  close(): void {
    if (this.kind.peek() === 'members') this.scope.local.removeItem(keptKeys.panel);
    this.asked.value = null;
    this.kind.value = null;
  }

  /** Gives way to what is shown, where there is room for one of them alone. */
  giveWay(): void {
    this.kind.value = null;
  }
}
