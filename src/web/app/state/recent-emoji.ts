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
  /** The colour of skin that hands and people have; empty: none. */
  readonly tone: Signal<string>;
  private readonly core: Core;

  constructor(core: Core) {
    this.core = core;
    this.list = signal(this.stored());
    this.tone = signal(this.storedTone());
    core.scope.onStored((key) => {
      if (key === keptKeys.skinTone) this.tone.value = this.storedTone();
      if (key === keptKeys.emoji) this.list.value = this.stored();
    });
  }

  note(emoji: string): void {
    this.core.scope.local.setItem(keptKeys.emoji, [...new Set([emoji, ...this.chosen()])].slice(0, most).join(' '));
    this.list.value = this.stored();
  }

  setTone(tone: string): void {
    this.core.scope.local.setItem(keptKeys.skinTone, tone);
    this.tone.value = tone;
  }

  private storedTone(): string {
    return this.core.scope.local.getItem(keptKeys.skinTone) ?? '';
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
