const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A number of bytes, short. */
export function formatSize(bytes: number): string {
  let step = 0;
  while (step < units.length - 1 && bytes >= 1000 ** (step + 1)) step++;
  return `${(bytes / 1000 ** step).toFixed(step > 1 ? 1 : 0)} ${units[step]}`;
}
