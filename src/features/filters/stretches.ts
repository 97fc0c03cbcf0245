/** How long work may hold the event loop at once, in ms, and how many steps are taken before looking at the clock. */
const stretchMs = 4;
const stretch = 256;

/** Says when the work has held the event loop for long enough: then others get a turn before it goes on. */
export function stretches(): (steps: number) => boolean {
  let since = performance.now();
  let steps = 0;
  return (more) => {
    steps += more;
    if (steps < stretch) return false;
    steps = 0;
    const now = performance.now();
    if (now - since < stretchMs) return false;
    // The others' turn counts too: better too often than too seldom.
    since = now;
    return true;
  };
}
