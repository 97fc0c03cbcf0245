import { type Signal, signal } from '@preact/signals';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';

/** How many are kept: two rows. */
const most = 16;

/** Shown to those who have not chosen so many yet. */
const usual = ['👍', '❤️', '😂', '🎉', '😮', '😢', '🙏', '👀', '✅', '🔥', '🚀', '👏', '🤔', '💯', '😍', '👎'];

/** The emoji that were chosen last on this device, the newest first; names between colons are those of servers' own. */
export class RecentEmoji {
  readonly list: Signal<readonly string[]>;
  private readonly core: Core;

  constructor(core: Core) {
    this.core = core;
    this.list = signal(this.stored());
    core.scope.onStored((key) => {
      if (key === keptKeys.emoji) this.list.value = this.stored();
    });
  }

  note(emoji: string): void {
    this.core.scope.local.setItem(keptKeys.emoji, [...new Set([emoji, ...this.chosen()])].slice(0, most).join(' '));
    this.list.value = this.stored();
  }

  private stored(): readonly string[] {
    return [...new Set([...this.chosen(), ...usual])].slice(0, most);
  }

  /** Neither emoji nor names have spaces. */
  private chosen(): string[] {
    const text = this.core.scope.local.getItem(keptKeys.emoji) ?? '';
    return text.split(' ').filter((emoji) => emoji !== '');
  }
}
