import { expect } from 'chai';
import { type Asked, isAsked, noFilters, queryOf, withoutOperators } from '../../src/web/app/state/search-terms.ts';

const asked = (words: string): Asked => ({ words, serverId: 'home', filters: noFilters, sort: 'time' });

describe('what someone types to look for messages', () => {
  const plain = (words: string) => withoutOperators(asked(words));

  it('becomes filters, as far as these can be shown', () => {
    const { words, filters } = plain('pier from:@Bob  has:link is:thread after:2026-01-31 in:#plans boat');
    expect(words).to.equal('pier boat');
    expect(filters).to.deep.equal({
      ...noFilters,
      from: { value: 'Bob', label: '@Bob' },
      in: { value: 'plans', label: '#plans', isId: false },
      kinds: ['link', 'thread'],
      after: '2026-01-31',
    });
  });

  it('stays as it is where it is no filter', () => {
    for (const words of [
      '-from:bob',
      'has:wheels',
      'is:link',
      'after:2026',
      'https://a.example/has:file?',
      '"in:plans"',
    ])
      expect(plain(words)).to.deep.equal(asked(words));
  });

  it('may say a thing twice: a second author stays among the words', () => {
    const { words, filters } = plain('from:bob from:carol has:file has:file');
    expect(words).to.equal('from:carol');
    expect(filters).to.deep.equal({ ...noFilters, from: { value: 'bob', label: '@bob' }, kinds: ['file'] });
  });

  it('may be filters alone, but not a place alone', () => {
    expect(isAsked(plain('from:me'))).to.equal(true);
    expect(isAsked(plain('in:plans'))).to.equal(false);
    expect(isAsked(plain(' '))).to.equal(false);
  });

  it('is asked for in a channel, by its id or its name, or in a server', () => {
    const some = (query: Asked) => {
      const { serverId, channelId, in: place } = queryOf(query);
      return { serverId, channelId, place };
    };
    expect(some(plain('x'))).to.deep.equal({ serverId: 'home', channelId: undefined, place: undefined });
    expect(some(plain('x in:plans'))).to.deep.equal({ serverId: 'home', channelId: undefined, place: 'plans' });
    const byId = { ...asked('x'), filters: { ...noFilters, in: { value: '7', label: '#plans', isId: true } } };
    expect(some(byId)).to.deep.equal({ serverId: undefined, channelId: '7', place: undefined });
    expect(queryOf(plain('has:image is:bot has:file'))).to.deep.include({ has: ['file', 'image'], is: ['bot'] });
    expect(queryOf(plain('x'))).to.include({ has: undefined, is: undefined, query: 'x' });
  });
});
