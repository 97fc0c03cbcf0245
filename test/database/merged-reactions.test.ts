// nodes: own

import { expect } from 'chai';
import { emojiForm } from '../../src/contract/unicode/emoji.ts';
import { emojiFormOf } from '../../src/database/emoji-form.ts';
import { migrated, startCluster } from '../world/nodes.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** All that are emoji in some way, alone and in sequences, with all selectors that anyone might send. */
function spellings(): string[] {
  const found: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    const one = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code);
    if (!/^\p{Emoji}$/u.test(one)) continue;
    found.push(one, `${one}\ufe0e`, `${one}\ufe0f`, `${one}\u{1f3fd}`, `${one}\ufe0f\u{1f3fd}`);
    found.push(`${one}\u20e3`, `${one}\ufe0f\u20e3`, `${one}\u200d${one}`, `${one}\ufe0f\u200d${one}\ufe0e`);
  }
  return [...found, ':heart:', ':100:', ':+1:', 'é', 'a1', '看', '🇩🇪', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '\ufe0f'];
}

interface Row {
  message: string;
  emoji: string;
  user: string;
  place: number;
}

const selectRows =
  'SELECT message_id AS message, emoji, user_id AS "user", place FROM reactions WHERE user_id <> ALL($1)';
const keyOf = ({ message, emoji, user }: Row): string => `${message} ${emoji} ${user}`;

describe('reactions in the database', () => {
  let here: World;
  before(async () => {
    here = await world(await startCluster({ nodes: 1 }));
  });
  after(async () => {
    here.close();
    await here.cluster.stop();
  });

  it('have one form, the same as in the contract', async () => {
    const all = spellings();
    const found = await query<{ form: string }>(
      here.cluster.databaseUrl,
      `SELECT ${emojiFormOf('emoji')} AS form FROM unnest($1::text[]) WITH ORDINALITY AS e (emoji, place) ORDER BY place`,
      [all],
    );
    for (const [i, { form }] of found.entries()) expect(form, JSON.stringify(all[i])).to.equal(emojiForm(all[i] ?? ''));
    expect(found).to.have.lengthOf(all.length);
  });

  it('have it whoever writes them', async () => {
    const { bob, channel, cluster } = here;
    const { id } = await bob.say(channel.id, 'by an older node');
    const insert = `INSERT INTO reactions (message_id, emoji, user_id, place) VALUES ($1, $2, $3, 1) ON CONFLICT DO NOTHING`;
    for (const emoji of ['❤', '❤︎', '❤️']) await query(cluster.databaseUrl, insert, [id, emoji, bob.id]);
    const users = [bob.id];
    expect((await bob.get(`/api/messages/${id}/reactions`)).body).to.deep.equal([
      { emoji: '❤️', count: 1, users, userIds: users },
    ]);
  });

  it('of before are merged: each person once, at the earliest place, while people react', async () => {
    const { alice, bob, channel, cluster } = here;
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push((await alice.say(channel.id, `message ${i}`)).id);
    const own = [alice.id, bob.id];
    const before = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('ALTER TABLE reactions DISABLE TRIGGER form_reaction');
      await rows(
        `WITH people AS (
           INSERT INTO users (id, username, username_key, display_name, tier, created_at, updated_at)
           SELECT gen_random_uuid(), 'reacting' || i, 'reacting' || i, 'Reacting', 'member', now(), now()
           FROM generate_series(1, 150) AS i RETURNING id
         ), every AS (
           SELECT message, emoji, id, row_number() OVER (PARTITION BY message ORDER BY random()) AS place
           FROM unnest($1::uuid[]) AS message CROSS JOIN unnest($2::text[]) AS emoji CROSS JOIN people WHERE random() < 0.7
         )
         INSERT INTO reactions (message_id, emoji, user_id, place) SELECT message, emoji, id, place FROM every`,
        [ids, ['❤', '❤︎', '❤️', '👍', '👍︎', ':heart:', '🏳‍🌈', '🏳️‍🌈']],
      );
      await rows('ALTER TABLE reactions ENABLE TRIGGER form_reaction');
      await rows(`DELETE FROM migrations WHERE name = '0161-merged-reactions'`);
      return rows<Row>(selectRows, [own]);
    });
    const expected = new Map<string, number>();
    for (const row of before) {
      const key = keyOf({ ...row, emoji: emojiForm(row.emoji) });
      expected.set(key, Math.min(row.place, expected.get(key) ?? row.place));
    }
    expect(expected.size).to.be.lessThan(before.length);

    const react = async (id: string) => {
      for (const who of [alice, bob]) {
        const path = `/api/messages/${id}/reactions`;
        expect((await who.post(path, { emoji: '❤' })).status).to.equal(201);
        expect((await who.delete(`${path}/${encodeURIComponent('❤︎')}`)).status).to.equal(200);
        expect((await who.post(path, { emoji: '👍︎' })).status).to.equal(201);
      }
    };
    await Promise.all([migrated(cluster.databaseUrl), ...ids.map(react)]);

    const after = await query<Row>(cluster.databaseUrl, selectRows, [own]);
    expect(new Map(after.map((row) => [keyOf(row), row.place]))).to.deep.equal(expected);
    for (const id of ids) {
      const { body } = await alice.get(`/api/messages/${id}/reactions`);
      const all = after.filter(({ message }) => message === id);
      for (const { emoji, count, users } of body) {
        const those = all.filter((row) => row.emoji === emoji).sort((a, b) => a.place - b.place);
        expect(count).to.equal(those.length + (emoji === '👍' ? 2 : 0));
        expect(users.slice(0, those.length)).to.deep.equal(those.map(({ user }) => user));
      }
      expect(new Set(body.map((one: { emoji: string }) => one.emoji))).to.deep.equal(
        new Set(['❤️', '👍', ':heart:', '🏳️‍🌈']),
      );
    }
  });
});
