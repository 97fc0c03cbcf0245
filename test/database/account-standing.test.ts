// nodes: own

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { migratingOrm } from '../../src/database/migrating.ts';
import { migrate } from '../../src/database/up-to-date.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { withRows } from '../world/sql.ts';

const log = createLog('silent');

describe('accounts from before addresses were proven', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
    const orm = await migratingOrm(database.url);
    await orm.migrator.up({ to: '0070-message-extras' });
    await orm.close(true);
  });
  after(() => database.drop());

  const made = "timestamptz '2026-01-02 03:04:05.678Z'";

  it('count as proven where the data proves it, and nowhere else', async () => {
    await withRows(database.url, async (rows) => {
      const user = async (name: string, password: string | null, more: { email?: null; isBot?: true } = {}) => {
        const id = randomUUID();
        const email = more.email === null ? null : `${name}@example.com`;
        await rows(
          `INSERT INTO users (id, username, username_key, email, display_name, is_bot, password_hash, tier, created_at, updated_at)
           VALUES ($1, $2, $2, $3, $2, $4, $5, 'member', ${made}, ${made})`,
          [id, name, email, more.isBot ?? false, password],
        );
        return id;
      };
      const link = (userId: string, email: string | null, later = '0 s') =>
        rows(
          `INSERT INTO oauth_accounts (id, user_id, provider, subject, provider_email, created_at)
           VALUES ($1, $3, 'corp', $2, $4, ${made} + $5::interval)`,
          [randomUUID(), randomUUID(), userId, email, later],
        );
      await user('registered', 'hash');
      await user('by-code', null);
      await user('nobody', null, { email: null });
      await user('bot', null, { email: null, isBot: true });
      await link(await user('by-provider', 'set later'), 'By-Provider@example.com');
      await link(await user('linked-later', 'hash'), 'linked-later@example.com', '1 ms');
      await link(await user('linked-other', 'hash'), 'other@example.com');
      await link(await user('linked-nothing', 'hash'), null);
      await migrate(database.url, log);
      const proven = await rows<{ username: string; isAsOld: boolean }>(
        `SELECT username, email_verified_at = created_at AS "isAsOld" FROM users
         WHERE email_verified_at IS NOT NULL ORDER BY username`,
      );
      expect(proven).to.deep.equal([
        { username: 'by-code', isAsOld: true },
        { username: 'by-provider', isAsOld: true },
      ]);
      const suspended = await rows('SELECT id FROM users WHERE suspended_at IS NOT NULL');
      expect(suspended).to.deep.equal([]);
    });
  });
});
