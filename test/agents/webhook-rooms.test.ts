// nodes: own

import { expect } from 'chai';
import pino from 'pino';
import { noRenewal } from '../../src/cluster/entry.ts';
import { Database } from '../../src/database/database.ts';
import { WebhookCursors } from '../../src/features/agents/webhooks/cursor.table.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { migrated, testSettings } from '../world/nodes.ts';

const bots = 300;
const rooms = 5;
const numbered = (beginning: string, number: string) =>
  `('${beginning}-0000-7000-a000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const [person, robot] = [numbered('aaaaaaaa', 'i'), numbered('bbbbbbbb', 'i')];

describe('the rooms that webhooks hear', () => {
  let place: TestDatabase;
  let database: Database;
  const lines: { statement?: string; rows?: number }[] = [];
  before(async () => {
    place = await createDatabase(migrated);
    const base = testSettings(place.url, null);
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    // Every statement is logged, with the number of rows that it gives.
    const settings = { ...base, database: { ...base.database, slowStatementMs: 1e-6 } };
    database = await Database.connect(place.url, settings, log);
    const among = `FROM generate_series(1, ${bots}) AS i`;
    for (const text of [
      `INSERT INTO users (id, username, username_key, display_name, is_bot, tier, created_at, updated_at)
       SELECT ${person}, 'bot-' || i, 'bot-' || i, 'Bot', true, 'visitor', now(), now() ${among}`,
      `INSERT INTO agents (id, user_id, owner_id, status, config, created_at, updated_at)
       SELECT ${robot}, ${person}, ${person}, 'running', '{}', now(), now() ${among}`,
      `INSERT INTO webhooks (agent_id, url, secret, state)
       SELECT ${robot}, 'https://example.com', '', CASE WHEN i = 1 THEN 'stopped' ELSE 'active' END ${among}`,
      `INSERT INTO webhook_cursors (agent_id, stream_id, kind, entered_at, seq)
       SELECT ${robot}, ${numbered('cccccccc', 'j')}, 'channel', now(), 0 ${among}, generate_series(1, ${rooms}) AS j`,
    ]) {
      await database.rows(text);
    }
  });
  after(async () => {
    await database.close();
    await place.drop();
  });

  it('are read as one row each, however many bots are in them, without the bots whose webhooks are off', async () => {
    // So many lines a second are logged at most.
    await new Promise((done) => setTimeout(done, 1100));
    lines.splice(0);
    const audience = await new WebhookCursors(database, { renewal: noRenewal }, 5).audience();
    const known = [...audience.values()];
    expect(known.map((agents) => new Set(agents).size)).to.deep.equal(Array(rooms).fill(bots - 1));
    expect(known.flat()).to.have.lengthOf(rooms * (bots - 1));
    const read = lines.filter(({ statement }) => statement?.includes('webhook_cursors'));
    expect(read.map((line) => line.rows)).to.deep.equal([rooms]);
  });
});
