import type { Scope } from './scope.ts';
import { keptKeys } from './surroundings.ts';

/** How many colours there are for those without a picture; each can be told from every other (style/base.css). */
export const hueCount = 12;
/** So many people keep their colour over reloads. */
const mostKept = 240;
/** Going around in these steps comes by all colours, and first by those that are far away. */
const step = 5;

/**
 * The colours of people without a picture. Each has one by their id, the same everywhere, unless someone of the eleven seen
 * last has it already: then the next one that is free. So no two of a team have the same colour, nor of those who talk.
 */
export class Hues {
  /** In the order in which they were seen last. */
  private readonly given = new Map<string, number>();
  private readonly scope: Scope;
  private isStoring = false;

  constructor(scope: Scope) {
    this.scope = scope;
    for (const entry of (scope.local.getItem(keptKeys.hues) ?? '').split(' ')) {
      const [id = '', hue = ''] = entry.split(':');
      if (/^\d+$/.test(hue) && Number(hue) < hueCount) this.given.set(id, Number(hue));
    }
  }

  of(id: string): number {
    const known = this.given.get(id);
    const hue = known ?? this.free(hueOf(id));
    this.given.delete(id);
    this.given.set(id, hue);
    if (known === undefined) this.keep();
    return hue;
  }

  private free(wanted: number): number {
    const taken = new Set([...this.given.values()].slice(1 - hueCount));
    for (let at = 0; at < hueCount; at++) {
      const hue = (wanted + at * step) % hueCount;
      if (!taken.has(hue)) return hue;
    }
    return wanted;
  }

  /** Once for all that a page shows at once. */
  private keep(): void {
    if (this.isStoring) return;
    this.isStoring = true;
    this.scope.after(500, () => {
      this.isStoring = false;
      for (const id of [...this.given.keys()].slice(0, -mostKept)) this.given.delete(id);
      const entries = [...this.given].map(([id, hue]) => `${id}:${hue}`);
      this.scope.local.setItem(keptKeys.hues, entries.join(' '));
    });
  }
}

/** The colour that an id has by itself. */
export const hueOf = (id: string): number => Number.parseInt(id.slice(-4), 16) % hueCount;
