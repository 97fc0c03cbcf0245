import { expect } from 'chai';
import { fitOf, ranked } from '../../src/web/app/state/fuzzy.ts';

describe('what fits to what someone types', () => {
  const fits = (name: string, typed: string) => fitOf(name, typed) !== null;
  const marked = (name: string, typed: string) =>
    (fitOf(name, typed)?.marks ?? []).map(({ start, end }) => name.slice(start, end));
  const best = (typed: string, ...names: string[]) =>
    ranked(
      names.map((name) => ({ name, about: '', count: 0 })),
      typed,
    ).map(({ name }) => name);

  it('has its letters in a row, or in their order from the beginning of a word', () => {
    expect(fits('#broadcasts', 'road')).to.equal(true);
    expect(fits('#general', 'gnrl')).to.equal(true);
    expect(fits('#general of nobody', 'gnrl')).to.equal(true);
    expect(fits('Design review', 'dr')).to.equal(true);
    expect(fits('#general', 'nrl')).to.equal(false);
    expect(fits('#general', 'lareneg')).to.equal(false);
    expect(fits('#general', '')).to.equal(true);
  });

  it('is told whatever the case, the accents and the width of letters', () => {
    expect(marked('Zoë Ångström', 'ANGS')).to.deep.equal(['Ångs']);
    expect(marked('ＡＢＣ 会議室', 'b 会議')).to.deep.equal(['Ｂ', '会議']);
    expect(marked('Łukasz 😀 Smile', 'smile')).to.deep.equal(['Smile']);
  });

  it('has every word of it, in any order', () => {
    expect(fits('Weekly design review', 'rev week')).to.equal(true);
    expect(fits('Weekly design review', 'rev month')).to.equal(false);
    expect(marked('Weekly design review', 'rev week')).to.deep.equal(['Week', 'rev']);
  });

  it('comes first where its words begin so', () => {
    expect(best('road', '#broadcasts', '#old-roadmap', '#roadmap')).to.deep.equal([
      '#roadmap',
      '#old-roadmap',
      '#broadcasts',
    ]);
    expect(best('gen', 'Engineering', 'general-plans', 'general')).to.deep.equal(['general', 'general-plans']);
    expect(best('ca', 'cats', 'customer-accounts')).to.deep.equal(['cats', 'customer-accounts']);
  });

  it('is found by where it is, after those whose own names fit', () => {
    const all = [
      { name: '#plans', about: 'Home', count: 0 },
      { name: '#home', about: 'Elsewhere', count: 0 },
      { name: '#other', about: 'Elsewhere', count: 0 },
    ];
    expect(ranked(all, 'home').map(({ name }) => name)).to.deep.equal(['#home', '#plans']);
    expect(ranked(all, 'plans home')[0]?.marks).to.deep.equal([{ start: 1, end: 6 }]);
  });

  it('comes before what fits as well where something is unread', () => {
    const all = [
      { name: '#roadmap', about: 'Home', count: 0 },
      { name: '#roads', about: 'Home', count: 2 },
      { name: 'Rosa', about: '@rosa', count: 0 },
    ];
    const names = (typed: string) => ranked(all, typed).map(({ name }) => name);
    expect(names('ROAD')).to.deep.equal(['#roads', '#roadmap']);
    expect(names('@ros')).to.deep.equal(['Rosa']);
    expect(names('nothing like it')).to.deep.equal([]);
  });

  it('is all there is where nothing is typed, with what is unread first', () => {
    const all = ['a', 'b', 'c'].map((name, i) => ({ name, about: '', count: i === 1 ? 2 : 0 }));
    expect(ranked(all, ' ').map(({ name }) => name)).to.deep.equal(['b', 'a', 'c']);
  });
});
