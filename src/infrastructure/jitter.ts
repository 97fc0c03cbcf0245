/** A random time from three to five quarters of `ms`, so that nodes that start together do not do everything together. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
