// nodes: own

import { expect } from 'chai';
import { messageText } from '../../src/features/messages/message.text.ts';
import {
  type MessageRow,
  messageRecord,
  type PlainRow,
  plainMessage,
} from '../../src/features/messages/message.view.ts';

const author = { id: 'a1', username: 'ada', displayName: 'Ada "the" 🐦\u2028', avatarUrl: null, isBot: false };
const plain: PlainRow = {
  id: 'm1',
  seq: 7,
  content: 'Hello',
  author_id: 'a1',
  thread_id: null,
  metadata: null,
  mentions: null,
  previews: null,
  components: null,
  nonce: null,
  is_edited: false,
  answers_to: null,
  is_pinned: false,
  created_at: '2026-01-02 03:04:05.6+00',
  updated_at: '2026-01-02 03:04:05+00',
};

const variants: Partial<PlainRow>[] = [
  {},
  { content: '' },
  { content: 'quotes " backslash \\ newline \n nul-like \u0001 lone \ud800 separators \u2028' },
  { nonce: 'n"1' },
  { thread_id: 't1', is_edited: true, is_pinned: true },
  { answers_to: 25 },
  { metadata: { a: [1, { b: 'x"' }] } },
  {
    previews: [
      { url: 'https://a.b/', siteName: null, title: 'T "', description: null, imageUrl: null, isLarge: false },
      {
        url: 'https://c.d/',
        siteName: null,
        title: null,
        description: null,
        imageUrl: null,
        isLarge: false,
        isRemoved: true,
      },
    ],
  },
  { components: { version: 1, items: [] } },
  { components: { version: 1, items: [{ type: 'link', label: 'L "', url: 'https://a.b/' }] } },
  { mentions: [{ kind: 'user', targetId: 'a1', token: '@ada', label: 'Ada "A"', range: { start: 0, end: 4 } }] },
];

describe('the text of a message', () => {
  it('is that of its record, whoever reads it, and wherever it was written', () => {
    for (const kind of ['server', 'dm'] as const)
      for (const avatarUrl of [null, '/api/media/"x"'])
        for (const variant of variants) {
          const row = plainMessage({ ...plain, ...variant }, { ...author, avatarUrl }, { id: 'c1', kind });
          for (const viewer of ['a1', 'somebody else', null]) {
            expect(messageText(row, viewer)).to.equal(JSON.stringify(messageRecord(row, viewer)));
          }
        }
  });

  it('has what only some messages have', () => {
    const { is_plain, ...row } = plainMessage(plain, author, { id: 'c1', kind: 'server' });
    expect(is_plain).to.equal(true);
    const some: MessageRow = { ...row, reactions: [{ emoji: '👍', count: 1, users: ['a1'], userIds: ['a1'] }] };
    expect(JSON.parse(messageText(some, null)).reactions).to.have.lengthOf(1);
  });
});
