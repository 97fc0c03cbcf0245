import type { Watched } from '../../filters/filters.ts';
import type { FilterScan } from '../../filters/server-filters.ts';

/** A piece of a reply as others see it. */
export interface Shown {
  delta: string;
  /** Undefined: earlier pieces are missing here. */
  offset: number | undefined;
}

/**
 * Keeps from others what filters do not let through of a reply in progress (contract §6, Filters). The last word of a piece
 * may go on in the next one: where it would be kept from others, it is not shown before that is known.
 */
export class StreamGuard {
  private readonly watched: Watched;
  private scan: FilterScan;
  private read = '';
  private kept: Shown | null;

  /** @param kept what was kept from others of it so far */
  constructor(watched: Watched, kept: Shown | null = null) {
    this.watched = watched;
    this.scan = watched.scan();
    this.kept = kept?.delta ? kept : null;
  }

  /** Where that begins which others may not see yet; undefined: they may see all of it. */
  get withheldFrom(): number | undefined {
    return this.kept?.offset;
  }

  /**
   * @param content the reply as far as it is known, with this piece
   * @returns what may be shown now; null: nothing yet; false: nothing more
   */
  pass(content: string, piece: Shown): Shown | null | false {
    if (!content.startsWith(this.read)) {
      this.scan = this.watched.scan();
      this.read = '';
    }
    this.scan.add(content.slice(this.read.length));
    this.read = content;
    if (this.watched.bars(this.scan.certain)) return false;
    const shown = this.kept ? joined(this.kept, piece) : piece;
    this.kept = this.watched.bars(this.scan.atEnd) ? shown : null;
    return this.kept ? null : shown;
  }
}

function joined(kept: Shown, piece: Shown): Shown {
  if (kept.offset === undefined || piece.offset === undefined) {
    return { delta: kept.delta + piece.delta, offset: undefined };
  }
  if (piece.offset <= kept.offset) return piece;
  return { delta: kept.delta.slice(0, piece.offset - kept.offset) + piece.delta, offset: kept.offset };
}
