// nodes: own

import { expect } from 'chai';
import type { ChannelRecord } from '../../src/client/index.ts';
import { movedTo } from '../../src/web/app/state/arranging.ts';
import { type CategoryRecord, type Section, sectionsOf } from '../../src/web/app/state/categories.ts';

const at = '2026-01-01T00:00:00.000Z';

const channel = (id: string, categoryId: string | null = null): ChannelRecord => ({
  ...{ id, serverId: 'server', kind: 'server', name: id, type: 'text', description: null, topic: null, position: 0 },
  ...{ categoryId, isPrivate: false, isArchived: false, lastMessageAt: null, lastSeq: 0, createdAt: at, updatedAt: at },
  ...{ slowModeSeconds: 0, keepMessagesDays: null, isMember: true, unreadCount: 0, unreadThreads: 0, lastReadSeq: 0 },
  ...{ lastMessagePreview: null, permissions: [] },
});

const category = (id: string, position: number): CategoryRecord => ({
  ...{ id, serverId: 'server', name: id, position },
  ...{ createdAt: at, updatedAt: at },
});

const outline = (sections: Section[]) =>
  sections.map(({ kind, category, channels }) => `${category?.id ?? kind}: ${channels.map(({ id }) => id).join()}`);

describe('the parts of a list of channels', () => {
  const channels = [
    channel('a'),
    channel('b', 'work'),
    channel('c', 'play'),
    channel('d', 'work'),
    channel('e', 'gone'),
  ];
  const categories = [category('play', 0), category('work', 1)];
  const parts = (favorites: string[]) => sectionsOf({ serverId: 'server', channels, categories, favorites });

  it('have each channel once, in the order of the server', () => {
    expect(outline(parts([]))).to.deep.equal(['favorites: ', 'channels: a,e', 'play: c', 'work: b,d']);
  });

  it('begin with the favourites that are there, in their own order', () => {
    expect(outline(parts(['d', 'elsewhere', 'a']))).to.deep.equal([
      'favorites: d,a',
      'channels: e',
      'play: c',
      'work: b',
    ]);
  });

  it('take a channel where it is put: before another, or after all in there', () => {
    const ids = (list: ChannelRecord[]) => list.map(({ id, categoryId }) => `${id}/${categoryId}`).join(' ');
    expect(ids(movedTo(channels, 'a', { categoryId: 'work', before: 'd' }))).to.equal(
      'b/work c/play a/work d/work e/gone',
    );
    expect(ids(movedTo(channels, 'b', { categoryId: 'play', before: null }))).to.equal(
      'a/null c/play b/play d/work e/gone',
    );
    expect(ids(movedTo(channels, 'b', { categoryId: 'empty', before: null }))).to.equal(
      'a/null c/play d/work e/gone b/empty',
    );
    expect(ids(movedTo(channels, 'nothing', { categoryId: 'work', before: null }))).to.equal(ids(channels));
  });
});
