// nodes: own

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const folder = path.resolve(import.meta.dirname, '../../src/web/app/style');

/** Properties and values with a side of the screen; what begins a line has others, for each direction. */
const physical = [
  /^(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)\b/,
  /^border-(?:top|bottom)-(?:left|right)-radius\b/,
  /^(?:left|right)\s*:/,
  /^(?:text-align|float|clear)\s*:\s*(?:left|right)\b/,
  /^(?:background-position|object-position|transform-origin)\b.*\b(?:left|right)\b/,
  /^(?:left|right)\s+\d/,
  /translate(?:X|3d)?\((?!\s*0\b)/,
  // Four values of which the second and the last differ.
  /^(?:margin|padding|inset|border-width|scroll-margin|scroll-padding)\s*:\s*\S+\s+(\S+)\s+\S+\s+(?!\1;)\S+;/,
  /^border-radius\s*:\s*\S+\s+\S+/,
  // A shadow that is moved to a side.
  /^(?:box|text)-shadow\s*:\s*(?:inset\s+)?-?[1-9]/,
];

/** By file and selector: why a side is meant there. */
const allowed: Record<string, string> = {
  'base.css select': 'the arrow, turned below',
  'base.css [dir="rtl"] select': 'the arrow, turned',
};

/** The declarations of a style sheet, with the selectors around them. */
function declarationsOf(css: string): { selector: string; declaration: string }[] {
  const found: { selector: string; declaration: string }[] = [];
  let selector = '';
  for (const line of css.replace(/\/\*[\s\S]*?\*\//g, '').split('\n')) {
    const text = line.trim();
    if (text.endsWith('{')) selector = text.slice(0, -1).trim();
    else if (text !== '' && text !== '}') found.push({ selector, declaration: text });
  }
  return found;
}

const isPhysical = (declaration: string): boolean => physical.some((form) => form.test(declaration));

describe('the styles of the web client', () => {
  const all = globSync('*.css', { cwd: folder }).flatMap((file) =>
    declarationsOf(readFileSync(path.join(folder, file), 'utf8')).map((one) => ({
      ...one,
      place: `${file} ${one.selector}`,
    })),
  );
  const sided = all.filter(({ declaration }) => isPhysical(declaration));

  it('name no side of the screen where a side of the text is meant', () => {
    expect(all.length).to.be.above(1000);
    const wrong = sided.filter(({ place }) => !(place in allowed));
    expect(wrong.map(({ place, declaration }) => `${place}: ${declaration}`)).to.deep.equal([]);
  });

  it('have only exceptions that are needed', () => {
    const used = new Set(sided.map(({ place }) => place));
    expect(Object.keys(allowed).filter((place) => !used.has(place))).to.deep.equal([]);
  });

  it('are looked at by rules that find sides', () => {
    for (const declaration of [
      'margin-left: 4px;',
      'border-right: 1px solid;',
      'left: 0;',
      'text-align: right;',
      'padding: 1px 2px 3px 4px;',
      'transform: translateX(-8px);',
      'transform: translate(-8px, 2px);',
      'box-shadow: inset 3px 0 var(--accent);',
    ])
      expect(isPhysical(declaration), declaration).to.equal(true);
    for (const declaration of [
      'margin: 1px 2px 3px 2px;',
      'padding: 4px 8px;',
      'margin-inline-start: 4px;',
      'transform: translateY(-8px);',
      'box-shadow: 0 4px 16px #00000026;',
      'border-radius: 8px;',
    ])
      expect(isPhysical(declaration), declaration).to.equal(false);
  });
});
