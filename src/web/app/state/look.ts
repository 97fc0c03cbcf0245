import { signal } from '@preact/signals';
import { type Theme, themes } from '../../../contract/appearance.ts';
import type { Scope } from './scope.ts';
import type { Surroundings } from './surroundings.ts';

/** What this browser shows the page in: the sign-in page has it too, and each page before its script is there. */
export const lookKey = 'parley:look';

export const densities = ['comfortable', 'compact'] as const;
export type Density = (typeof densities)[number];
export const sizes = ['small', 'normal', 'large', 'huge'] as const;
export type Size = (typeof sizes)[number];

/** By the names of the attributes that styles look at. Without a theme it is as the device has it. */
export interface Shown {
  theme?: Theme;
  density: Density;
  size: Size;
}

/** The colours of the page, which follow the person, and how large and close things are, which is a matter of the device. */
export class Look {
  readonly density = signal<Density>('comfortable');
  readonly size = signal<Size>('normal');
  private theme: Theme | null = null;
  private readonly surroundings: Surroundings;
  private readonly scope: Scope;

  constructor(surroundings: Surroundings, scope: Scope) {
    this.surroundings = surroundings;
    this.scope = scope;
    this.read(scope.local.getItem(lookKey));
    // Another tab has changed it.
    scope.onStored((key, value) => {
      if (key === lookKey) this.read(value);
    });
  }

  /** Takes over what someone has chosen; null: as the device has it. */
  follow(theme: Theme | null): void {
    if (theme === this.theme) return;
    this.theme = theme;
    this.show();
  }

  setDensity(density: Density): void {
    this.density.value = density;
    this.show();
  }

  setSize(size: Size): void {
    this.size.value = size;
    this.show();
  }

  private show(): void {
    const shown = this.shown();
    this.scope.local.setItem(lookKey, JSON.stringify(shown));
    this.surroundings.setLook(shown);
  }

  private shown(): Shown {
    const theme = this.theme ? { theme: this.theme } : {};
    return { density: this.density.peek(), size: this.size.peek(), ...theme };
  }

  private read(stored: string | null): void {
    const { theme, density, size } = parsed(stored);
    this.theme = themes.find((one) => one === theme) ?? null;
    this.density.value = densities.find((one) => one === density) ?? 'comfortable';
    this.size.value = sizes.find((one) => one === size) ?? 'normal';
    this.surroundings.setLook(this.shown());
  }
}

function parsed(stored: string | null): Partial<Record<string, unknown>> {
  try {
    return { ...JSON.parse(stored ?? '{}') };
  } catch {
    return {};
  }
}
