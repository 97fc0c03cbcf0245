// nodes: own

import { expect } from 'chai';
import { Burst } from '../../src/web/app/state/burst.ts';

/** A clock that goes on when it is told to. */
class Clock {
  private waiting: { work: () => void }[] = [];

  readonly after = (_: number, work: () => void): (() => void) => {
    const one = { work };
    this.waiting.push(one);
    return () => {
      this.waiting = this.waiting.filter((other) => other !== one);
    };
  };

  pass(): void {
    for (const { work } of this.waiting.splice(0)) work();
  }
}

describe('a burst of the web client', () => {
  let clock: Clock;
  let taken: number[][];
  let burst: Burst<number>;
  beforeEach(() => {
    clock = new Clock();
    taken = [];
    burst = new Burst<number>(clock, 100, (all) => taken.push([...all]));
  });
  const add = (...all: number[]) => {
    for (const one of all) burst.add(one);
  };

  it('hands on the first at once, and those that follow closely together', () => {
    add(1, 2, 3);
    expect(taken).to.deep.equal([[1]]);
    clock.pass();
    expect(taken).to.deep.equal([[1], [2, 3]]);
    add(4);
    clock.pass();
    expect(taken).to.deep.equal([[1], [2, 3], [4]]);
    clock.pass();
    add(5);
    expect(taken.at(-1)).to.deep.equal([5]);
  });

  it('hands on what waits when it is asked to, in order, and once', () => {
    add(1, 2);
    burst.flush();
    add(3);
    expect(taken).to.deep.equal([[1], [2]]);
    clock.pass();
    clock.pass();
    expect(taken).to.deep.equal([[1], [2], [3]]);
  });

  it('forgets what nobody wants any more', () => {
    add(1, 2);
    burst.drop();
    clock.pass();
    expect(taken).to.deep.equal([[1]]);
  });
});
