/** What a place in a list of messages is known by: its number, which grows towards the end. */
interface Numbered {
  id: string;
  seq: number;
}

type List = readonly Numbered[];

/** The messages that are drawn: those between two numbers, both included. To infinity: also what comes at the end. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** What stands in the page for a list: a message by its place in it, or room for those that are not drawn. */
export type Piece = { kind: 'row'; at: number } | { kind: 'gap'; key: string; height: number };

/** Where the drawn messages lie, in pixels beyond the visible part on either side; negative: so much is missing. */
export interface View {
  above: number;
  below: number;
  height: number;
}

/** So much is drawn beyond the visible part before it comes into view; at most a few rows in each frame. */
const marginOf = ({ height }: View): number => Math.max(900, 1.5 * height);
const rowsInStep = 4;
/** Where rows are missing in view. */
const rowsInHurry = 12;
/** Drawn beyond a place that is jumped to. */
const besides = 3;
/** Until something was measured. */
const usualHeight = 48;

/** The heights of messages as they were drawn last, and a guess of those that never were. */
export class Heights {
  private readonly known = new Map<string, number>();
  private sum = 0;

  note(id: string, height: number): void {
    this.sum += height - (this.known.get(id) ?? 0);
    this.known.set(id, height);
  }

  of(id: string): number {
    return this.known.get(id) ?? (this.known.size === 0 ? usualHeight : this.sum / this.known.size);
  }

  /** The width is another one. */
  forget(): void {
    this.known.clear();
    this.sum = 0;
  }
}

/** The places of a range in a list: from the first up to, but without, the second. */
export function placesOf(list: List, { from, to }: Range): [first: number, end: number] {
  return [firstFrom(list, from), to === Infinity ? list.length : firstFrom(list, to + 1)];
}

/** By halves: the place of the first with that number or a larger one. */
function firstFrom(list: List, seq: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param isOpen whether the list ends with the newest: then what comes is drawn if its end is */
export function rangeOf(list: List, first: number, end: number, isOpen: boolean): Range {
  const from = list[Math.max(0, first)]?.seq ?? 0;
  const last = list[Math.min(end, list.length) - 1]?.seq ?? 0;
  return { from, to: isOpen && end >= list.length ? Infinity : last };
}

/** The range around a place; without one, at the end. @param count how many are in view */
export function rangeAround(list: List, at: number | null, count: number, isOpen: boolean): Range {
  const middle = at ?? list.length - 1;
  return rangeOf(
    list,
    middle - (at === null ? count : Math.ceil(count / 2)),
    at === null ? list.length : middle + count,
    isOpen,
  );
}

/** What is drawn. @param held by ids, those that stay wherever the view is */
export function piecesOf(list: List, range: Range, held: ReadonlySet<string>, heights: Heights): Piece[] {
  const [first, end] = placesOf(list, range);
  const pieces: Piece[] = [];
  let [room, gaps] = [0, 0];
  const close = (at: number) => {
    // An element stays the same one while the range moves.
    if (room > 0) pieces.push({ kind: 'gap', key: at <= first ? `above ${gaps++}` : `below ${gaps++}`, height: room });
    room = 0;
  };
  for (const [at, { id }] of list.entries()) {
    if ((at >= first && at < end) || held.has(id)) {
      close(at);
      pieces.push({ kind: 'row', at });
    } else room += heights.of(id);
    if (at === first) gaps = 0;
  }
  close(list.length);
  return pieces;
}

interface Drawn {
  list: List;
  range: Range;
  heights: Heights;
  isOpen: boolean;
  /** Whether rows that are far from the view go. */
  mayDrop: boolean;
}

/** The next range on the way to what a view needs; the same one where that is drawn. */
export function stepped(drawn: Drawn, view: View): Range {
  const { list, range, isOpen } = drawn;
  const [first, end] = placesOf(list, range);
  const [from, to] = view.above < -view.height || view.below < -view.height ? jump(drawn, view) : step(drawn, view);
  return from === first && to === end ? range : rangeOf(list, from, to, isOpen);
}

/** Nothing of what is in view is drawn: goes there by the heights of what lies between. */
function jump({ list, range, heights }: Drawn, view: View): [first: number, end: number] {
  const [first, end] = placesOf(list, range);
  const heightAt = (at: number) => heights.of(list[at]?.id ?? '');
  if (view.above < -view.height) {
    let at = first;
    // From the lower edge of the view, which is so far above.
    let left = -view.above - view.height;
    while (at > 0 && left > 0) left -= heightAt(--at);
    const last = at;
    left = view.height;
    while (at > 0 && left > 0) left -= heightAt(--at);
    return [Math.max(0, at - besides), Math.min(list.length, last + besides)];
  }
  let at = end;
  let left = -view.below - view.height;
  while (at < list.length && left > 0) left -= heightAt(at++);
  const start = at;
  left = view.height;
  while (at < list.length && left > 0) left -= heightAt(at++);
  return [Math.max(0, start - besides), Math.min(list.length, at + besides)];
}

/** Draws a few more on the side that needs it most, and drops those that are far from the view. */
function step({ list, range, heights, mayDrop }: Drawn, view: View): [first: number, end: number] {
  let [first, end] = placesOf(list, range);
  const margin = marginOf(view);
  const needsAbove = first > 0 && view.above < margin;
  const needsBelow = end < list.length && view.below < margin;
  if (needsAbove && (!needsBelow || view.above <= view.below)) first -= view.above < 0 ? rowsInHurry : rowsInStep;
  else if (needsBelow) end += view.below < 0 ? rowsInHurry : rowsInStep;
  if (mayDrop) {
    const spared = { above: view.above, below: view.below };
    const drop = (side: 'above' | 'below', at: number) => {
      spared[side] -= heights.of(list[at]?.id ?? '');
      return spared[side] > 1.5 * margin;
    };
    if (view.above > 2 * margin) while (first < end - 1 && drop('above', first)) first++;
    if (view.below > 2 * margin) while (end > first + 1 && drop('below', end - 1)) end--;
  }
  return [Math.max(0, first), Math.min(list.length, end)];
}
