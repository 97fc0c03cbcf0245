import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { keptKeys, type Surroundings } from './surroundings.ts';

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
  /** Whether keys alone do something where nobody types: those who speak to their devices may not want that. */
  readonly hasSingleKeys: ReadonlySignal<boolean>;
  private readonly isTouched: () => boolean;
  /** Whether a hardware keyboard was detected: tablets may have one. */
  private readonly hasHardware = signal(false);

  private readonly singleKeys: Signal<boolean>;
  private readonly local: Surroundings['local'];

  constructor({ isTouched, local }: Pick<Surroundings, 'isTouched' | 'local'>) {
    this.isTouched = isTouched;
    this.local = local;
    this.singleKeys = signal(local.getItem(keptKeys.keysOff) === null);
    this.hasSingleKeys = this.singleKeys;
  }

  readonly setSingleKeys = (isOn: boolean): void => {
    this.singleKeys.value = isOn;
    if (isOn) this.local.removeItem(keptKeys.keysOff);
    else this.local.setItem(keptKeys.keysOff, 'yes');
  };

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
