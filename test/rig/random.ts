/** The same numbers for the same seed, so that a failure can be run again. @returns whole numbers below what is asked */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Another seed each time, unless PARLEY_SEED says one. */
export const seedOfRun = () => Number(process.env.PARLEY_SEED ?? Math.floor(Math.random() * 1e6));
