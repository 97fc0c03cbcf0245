// nodes: own

import { expect } from 'chai';
import { keyedHash } from '../../src/features/accounts/secrets.ts';
import { until } from '../rig/until.ts';
import { startCluster } from '../world/nodes.ts';
import { request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { codeIn, dataFolder } from './mailbox.ts';

const secret = 'a secret for tests only';
const hashOf = (email: string, code: string) => keyedHash(secret, 'e-mail code', `${email} ${code}`);

/** What nodes of the version before do with the one code that they know of an address. */
const upsert = `INSERT INTO email_codes (email, code_hash, tries, expires_at) VALUES ($1, $2, 0, now() + interval '10 minutes')
  ON CONFLICT (email) DO UPDATE SET code_hash = excluded.code_hash, tries = 0, expires_at = excluded.expires_at`;
const takeTry = 'UPDATE email_codes SET tries = tries + 1 WHERE email = $1 AND tries < 5 RETURNING code_hash';
const use = 'DELETE FROM email_codes WHERE email = $1 AND code_hash = $2';

describe('a mailed code, with nodes of the version before beside', () => {
  it('works on either, whichever mailed it, once', async () => {
    const folder = dataFolder();
    const jwtSecrets = [{ kid: 'test', secret }];
    const cluster = await startCluster({ nodes: 1, settings: { dataDir: folder.dataDir, jwtSecrets } });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const old = (text: string, values: string[]) => query<{ code_hash: string }>(cluster.databaseUrl, text, values);
      const verify = (email: string, code: string) => request(node, 'POST', '/api/auth/email/verify', { email, code });
      const email = 'both@example.com';
      await old(upsert, [email, hashOf(email, '111111')]);
      await old(upsert, [email, hashOf(email, '222222')]);
      expect((await verify(email, '222222')).status).to.equal(200);
      expect((await verify(email, '222222')).status).to.equal(400);
      expect(await old(takeTry, [email])).to.deep.equal([]);

      await request(node, 'POST', '/api/auth/email/start', { email });
      const code = await until(async () => (await folder.mails()).map(codeIn).find((one) => one !== ''));
      expect(await old(takeTry, [email])).to.deep.equal([{ code_hash: hashOf(email, code) }]);
      await old(use, [email, hashOf(email, code)]);
      expect((await verify(email, code)).status).to.equal(400);
    } finally {
      await cluster.stop();
    }
  });
});
