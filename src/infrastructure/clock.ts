/**
 * The time that all nodes share (ARCHITECTURE, Decisions): PostgreSQL's, once measured, and advanced by
 * `performance.now()`, which nobody can set. The machine's own clock may be wrong, and differs from node to node: no
 * time that another node, the database or a token's holder sees is taken from it.
 */
class Clock {
  /** Added to `performance.now()`; undefined: not measured yet. */
  private offset: number | undefined;

  /** Milliseconds since 1970. */
  now(): number {
    return this.offset === undefined ? Date.now() : this.offset + performance.now();
  }

  /** How far the machine's clock is behind, in ms; negative: ahead. For libraries that ask it themselves. */
  get behindMs(): number {
    return this.now() - Date.now();
  }

  /**
   * Adopts a measurement. One that agrees with the known offset changes nothing: times would jump to and fro by the
   * difference between round trips.
   * @param time ms since 1970, at some moment between `from` and `until` (`performance.now()`)
   */
  measured(time: number, from: number, until: number): void {
    const [least, most] = [time - until, time - from];
    if (this.offset !== undefined && this.offset >= least && this.offset <= most) return;
    this.offset = (least + most) / 2;
  }
}

/** One for the whole process. */
export const clock = new Clock();

/** The shared time as a date, in whole milliseconds. */
export const dateNow = (): Date => new Date(clock.now());
