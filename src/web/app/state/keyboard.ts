import { signal } from '@preact/signals';

/** What matters of a keyboard event. */
interface Key {
  key: string;
  code: string;
  keyCode: number;
  isComposing: boolean;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** Keys that on-screen keyboards never report. */
const hardwareKeys = new Set(['Shift', 'Control', 'Alt', 'Meta', 'Tab', 'Escape']);

/** Which kind of keyboard the device has. */
export class Keyboard {
  private readonly isTouched: () => boolean;
  /** Whether a hardware keyboard was detected: tablets may have one. */
  private readonly hasHardware = signal(false);

  constructor(isTouched: () => boolean) {
    this.isTouched = isTouched;
  }

  /** Inspects a pressed key: on-screen keyboards report less about theirs. */
  watch({ key, code }: Pick<Key, 'key' | 'code'>): void {
    if (hardwareKeys.has(key) && code !== '') this.hasHardware.value = true;
    else if (key === 'Unidentified' && code === '') this.hasHardware.value = false;
  }

  /**
   * Whether Enter alone submits. On-screen keyboards have no Shift+Enter: there Enter starts a new line, and a button sends.
   */
  get hasEnter(): boolean {
    return this.hasHardware.value || !this.isTouched();
  }

  /** Whether a key submits a text. */
  submits(event: Key): boolean {
    if (event.key !== 'Enter' || isComposing(event) || event.shiftKey) return false;
    return this.hasEnter || event.ctrlKey || event.metaKey;
  }
}

/**
 * Whether a key belongs to an input method's composition, as in Japanese: Enter confirms one there. Safari ends that before
 * it reports the key, which only its key code reveals.
 */
export const isComposing = (event: Pick<Key, 'isComposing' | 'keyCode'>): boolean =>
  event.isComposing || event.keyCode === 229;
