// nodes: own

import { expect } from 'chai';
import { cropOf, middle, moved } from '../../src/web/app/views/parts/crop.ts';

describe('the part of a picture that is shown', () => {
  const wide = { width: 900, height: 300 };

  it('is at first the largest one in the middle', () => {
    expect(cropOf(wide, 1, middle)).to.deep.equal({ left: 300, top: 0, width: 300, height: 300 });
    expect(cropOf(wide, 3, middle)).to.deep.equal({ left: 0, top: 0, width: 900, height: 300 });
    expect(cropOf({ width: 300, height: 900 }, 3, middle)).to.deep.equal({
      left: 0,
      top: 400,
      width: 300,
      height: 100,
    });
  });

  it('never leaves the picture, whatever the zoom and however far it is dragged', () => {
    for (const ratio of [1, 3]) {
      for (const zoom of [1, 1.7, 4]) {
        for (const [byX, byY] of [
          [1e6, 1e6],
          [-1e6, -1e6],
          [10, -10],
        ] as const) {
          const view = { ...middle, zoom };
          const { left, top, width, height } = cropOf(
            wide,
            ratio,
            moved(view, wide, cropOf(wide, ratio, view), byX, byY),
          );
          expect(Math.min(left, top)).to.be.at.least(0);
          expect(left + width).to.be.at.most(wide.width + 1e-9);
          expect(top + height).to.be.at.most(wide.height + 1e-9);
          expect(width / height).to.be.closeTo(ratio, 1e-9);
        }
      }
    }
  });

  it('follows a drag pixel by pixel', () => {
    const view = { ...middle, zoom: 2 };
    const before = cropOf(wide, 1, view);
    const after = cropOf(wide, 1, moved(view, wide, before, 60, -30));
    expect(after.left - before.left).to.be.closeTo(60, 1e-9);
    expect(after.top - before.top).to.be.closeTo(-30, 1e-9);
  });
});
