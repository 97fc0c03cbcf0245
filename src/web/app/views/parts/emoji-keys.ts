/** How many emoji are in a row; the style sheet has the same. */
const perRow = 8;

/**
 * Moves the focus among emoji by rows and columns, from one group into the next.
 * @param onUp up from the first row
 * @returns whether the key was for that
 */
export function moveAmongEmoji(list: HTMLElement, key: string, onUp: () => void): boolean {
  const rows = [...list.querySelectorAll('fieldset')].flatMap(rowsIn);
  const all = rows.flat();
  const here = all.findIndex((option) => option.contains(document.activeElement));
  const row = rows.findIndex((options) => options.includes(all[here] ?? list));
  const column = rows[row]?.indexOf(all[here] ?? list) ?? 0;
  const below = (step: number) => rows[row + step]?.at(Math.min(column, (rows[row + step]?.length ?? 0) - 1));
  const right = document.dir === 'rtl' ? -1 : 1;
  if (key === 'ArrowUp' && row <= 0) {
    onUp();
    return true;
  }
  const ways: Record<string, () => HTMLElement | undefined> = {
    ArrowRight: () => all[here + right],
    ArrowLeft: () => all[here - right],
    ArrowDown: () => below(1),
    ArrowUp: () => below(-1),
    Home: () => all[0],
    End: () => all.at(-1),
  };
  const way = ways[key];
  way?.()?.focus();
  return way !== undefined;
}

function rowsIn(group: Element): HTMLElement[][] {
  const options = [...group.querySelectorAll<HTMLElement>('[role=option]')];
  return Array.from({ length: Math.ceil(options.length / perRow) }, (_, at) =>
    options.slice(at * perRow, (at + 1) * perRow),
  );
}
