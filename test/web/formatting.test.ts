// nodes: own

import { expect } from 'chai';
import { MemoryStore } from '../../src/client/index.ts';
import { emojiOf } from '../../src/web/app/state/emoji.ts';
import { Keyboard } from '../../src/web/app/state/keyboard.ts';
import { LatestAnswer } from '../../src/web/app/state/latest-answer.ts';
import { pathTo, routeOf } from '../../src/web/app/state/router.ts';
import { formatSize } from '../../src/web/app/state/sizes.ts';
import { textsOf } from '../../src/web/app/state/texts.ts';
import { isGrouped } from '../../src/web/app/views/talk/grouping.ts';

describe('what the web client computes', () => {
  it('groups messages of one author within five minutes, unless they reply or are pinned', () => {
    const first = { authorId: 'a', createdAt: '2026-01-01T10:00:00.000Z' };
    const at = (createdAt: string, more: object = {}) => ({ authorId: 'a', replyToId: null, createdAt, ...more });
    expect(isGrouped(first, at('2026-01-01T10:04:59.000Z'))).to.equal(true);
    expect(isGrouped(first, at('2026-01-01T10:05:00.000Z'))).to.equal(false);
    expect(isGrouped(first, at('2026-01-01T10:01:00.000Z', { authorId: 'b' }))).to.equal(false);
    expect(isGrouped(first, at('2026-01-01T10:01:00.000Z', { replyToId: 'x' }))).to.equal(false);
    expect(isGrouped(first, at('2026-01-01T10:01:00.000Z', { isPinned: true }))).to.equal(false);
    expect(isGrouped(undefined, at('2026-01-01T10:01:00.000Z'))).to.equal(false);
  });

  it('reads addresses, and writes the same ones', () => {
    const inChannel = { name: 'channel', serverId: 's1', channelId: 'c1' };
    const cases: [string, object][] = [
      ['/app', { name: 'home' }],
      ['/app/friends', { name: 'friends' }],
      ['/app/nonsense', { name: 'home' }],
      [pathTo.channel('s1', 'c1'), { ...inChannel, messageId: null, threadId: null }],
      [pathTo.message('s1', 'c1', 'm1'), { ...inChannel, messageId: 'm1', threadId: null }],
      [pathTo.newThread('s1', 'c1', 'm1'), { ...inChannel, messageId: null, threadId: null, parentId: 'm1' }],
      [pathTo.thread('s1', 'c1', 't1'), { ...inChannel, messageId: null, threadId: 't1' }],
      [
        pathTo.messageOrThread('s1', { channelId: 'c1', threadId: 't1', id: 'm1' }),
        { ...inChannel, messageId: 'm1', threadId: 't1' },
      ],
      [pathTo.channel(null, 'd1'), { name: 'dm', serverId: null, channelId: 'd1', messageId: null, threadId: null }],
      [pathTo.invite('a/b?c'), { name: 'invite', code: 'a/b?c' }],
      ['/app/authorize/state%3Da%252Fb', { name: 'authorize', asked: 'state=a%2Fb' }],
      ['/app/device', { name: 'device', asked: '' }],
      ['/app/invite/%E0%A4%A', { name: 'invite', code: '%E0%A4%A' }],
      [pathTo.manage('s1', 'members'), { name: 'manage', serverId: 's1', section: 'members' }],
      ['/app/s/s1/manage/nonsense', { name: 'manage', serverId: 's1', section: 'overview' }],
      [pathTo.settings('tokens'), { name: 'settings', section: 'tokens', id: null }],
      [pathTo.files('s1', 'f1'), { name: 'files', serverId: 's1', folderId: 'f1' }],
    ];
    for (const [path, route] of cases) expect(routeOf(path), path).to.deep.equal(route);
  });

  it('knows emoji by name', () => {
    expect([emojiOf(':tada:'), emojiOf('tada'), emojiOf(':nothing:')]).to.deep.equal(['🎉', '🎉', ':nothing:']);
  });

  it('writes sizes and times for people', () => {
    const { dayName, shortTime } = textsOf({ language: 'en', locale: 'en', timeZone: null, hourCycle: null }, null);
    expect([999, 1000, 1_234_567, 107_374_182_400].map(formatSize)).to.deep.equal([
      '999 B',
      '1 kB',
      '1.2 MB',
      '107.4 GB',
    ]);
    const now = new Date();
    const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, 12);
    expect([now, yesterday].map((date) => dayName(date.toISOString()))).to.deep.equal(['Today', 'Yesterday']);
    expect(shortTime(now.toISOString()).length).to.be.below(shortTime(yesterday.toISOString()).length);
  });

  it('submits with Enter where there is a keyboard for it, and never what an input method composes', () => {
    const key = (more: object = {}) => {
      const none = { isComposing: false, shiftKey: false, ctrlKey: false, metaKey: false };
      return { key: 'Enter', code: 'Enter', keyCode: 13, ...none, ...more };
    };
    const phone = new Keyboard({ isTouched: () => true, local: new MemoryStore() });
    expect(phone.submits(key())).to.equal(false);
    expect(phone.submits(key({ ctrlKey: true }))).to.equal(true);
    phone.watch({ key: 'Shift', code: 'ShiftLeft' });
    expect(phone.submits(key())).to.equal(true);
    phone.watch({ key: 'Unidentified', code: '' });
    expect(phone.submits(key())).to.equal(false);
    const laptop = new Keyboard({ isTouched: () => false, local: new MemoryStore() });
    expect(
      [key(), key({ shiftKey: true }), key({ isComposing: true }), key({ keyCode: 229 })].map((one) =>
        laptop.submits(one),
      ),
    ).to.deep.equal([true, false, false, false]);
  });

  it('shows no answer that is older than what is shown, and asks again after a change', async () => {
    const latest = new LatestAnswer();
    const shown: number[] = [];
    const [slow, fast] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    const first = latest.read(
      () => slow.promise,
      (answer) => shown.push(answer),
    );
    const second = latest.read(
      () => fast.promise,
      (answer) => shown.push(answer),
    );
    fast.resolve(2);
    await second;
    slow.resolve(1);
    await first;
    expect(shown).to.deep.equal([2]);
    let answers = 0;
    await latest.read(
      async () => {
        if (answers++ === 0) latest.changed();
        return answers;
      },
      (answer) => shown.push(answer),
    );
    expect(shown).to.deep.equal([2, 2]);
  });
});
