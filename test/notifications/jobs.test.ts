import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { startCluster } from '../world/nodes.ts';
import type { Loose } from '../world/person.ts';
import { withRows } from '../world/sql.ts';
import { world } from '../world/world.ts';

const id = '00000000-0000-4000-8000-000000000001';

describe('a job that a node does not know', () => {
  it('is left for a newer one, and holds up no others', async () => {
    const here = await world();
    const { alice, bob, cluster } = here;
    const dm = await alice.post('/api/dm/channels', { userId: bob.id });
    await withRows(cluster.databaseUrl, async (rows) => {
      const add = 'INSERT INTO notification_jobs (id, data, attempts) VALUES ($1, $2, 4)';
      await rows(add, [id, JSON.stringify({ job: 'from the future' })]);
      try {
        const put = 'SELECT attempts FROM notification_jobs WHERE id = $1 AND due_at > now()';
        await until(async () => (await rows(put, [id])).length > 0, { message: 'it was not put back' });
        expect(await rows(put, [id])).to.deep.equal([{ attempts: 5 }]);
        // Due with what is said now, and before it.
        await rows('UPDATE notification_jobs SET due_at = now() WHERE id = $1', [id]);
        await alice.post(`/api/dm/channels/${dm.body.id}/messages`, { content: 'hello' });
        await until(async () => (await bob.get('/api/notifications')).body.length > 0);
        expect(await rows('SELECT FROM notification_jobs WHERE id = $1', [id])).to.have.lengthOf(1);
      } finally {
        await rows('DELETE FROM notification_jobs WHERE id = $1', [id]);
      }
    });
    here.close();
  });
});

describe('a job whose statements take too long', () => {
  it('is put back until they do not, and holds up no others', async () => {
    const cluster = await startCluster({ nodes: 1, settings: { database: { statementTimeoutMs: 400 } } });
    const { alice, bob, carol, channel, server, close } = await world(cluster);
    await carol.post(`/api/servers/${server.id}/join`, { inviteCode: server.inviteCode });
    const told = async (who: typeof bob) => (await who.get('/api/notifications')).body.length > 0;
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [bob.id]);
      for (const who of [bob, carol]) await alice.say(channel.id, `@${who.username}`);
      await until(() => told(carol));
      expect(await told(bob)).to.equal(false);
      await rows('COMMIT');
    });
    await until(() => told(bob));
    close();
    await cluster.stop();
  });
});

describe('edits of one message that name the same people', () => {
  it('tell them once, also where they are told of together', async () => {
    // Two nodes might take some of the jobs each.
    const cluster = await startCluster({ nodes: 1 });
    const { alice, bob, channel, close } = await world(cluster);
    const you = `@${bob.username}`;
    const ofBob = async () => (await bob.get('/api/notifications')).body;
    const [named, answered] = [await alice.say(channel.id, you), await alice.say(channel.id, `${you} too`)];
    const { id: replyToId } = await bob.say(channel.id, 'a question');
    await withRows(cluster.databaseUrl, async (rows) => {
      const edit = { job: 'edit', users: [bob.id], at: new Date().toISOString() };
      const reply = await alice.say(channel.id, `${you} an answer`, { replyToId });
      await until(async () => (await ofBob()).some(({ referenceId }: Loose) => referenceId === reply.id));
      await bob.post('/api/notifications/read-all');
      await rows('DELETE FROM notifications WHERE user_id = $1', [bob.id]);
      const told = { job: 'message', messageId: reply.id, users: [], broadcast: null };
      // In one statement they come all together.
      const jobs = [
        { ...edit, messageId: named.id },
        { ...edit, messageId: named.id },
        told,
        { ...edit, messageId: reply.id },
        { ...edit, messageId: answered.id },
      ];
      await rows(`INSERT INTO notification_jobs (id, data) SELECT gen_random_uuid(), unnest($1::json[])`, [
        jobs.map((job) => JSON.stringify(job)),
      ]);
    });
    const counts = async () =>
      (await ofBob()).map(({ kind, aggregatedCount }: Loose) => `${kind} ${aggregatedCount}`).sort();
    await until(async () => (await counts()).length === 2);
    // Of the three messages each once: one by the answer, two by the names in them.
    expect(await counts()).to.deep.equal(['message.mention 2', 'message.reply 1']);
    close();
    await cluster.stop();
  });
});

describe('a message that is quoted to thousands', () => {
  it('is taken out of what quotes it in steps, and all of it', async () => {
    const here = await world();
    const { alice, bob, channel, cluster } = here;
    const content = `@${alice.username} to be forgotten`;
    const message = await bob.say(channel.id, content);
    const isTold = ({ referenceId }: Loose) => referenceId === message.id;
    await until(async () => (await alice.get('/api/notifications')).body.some(isTold));
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows(
        `INSERT INTO notifications SELECT (json_populate_record(n, json_build_object('id', gen_random_uuid()))).*
         FROM notifications n CROSS JOIN generate_series(1, 2500) WHERE n.reference_id = $1`,
        [message.id],
      );
      await bob.delete(`/api/messages/${message.id}`);
      const left = 'SELECT FROM notifications WHERE reference_id = $1 LIMIT 1';
      await until(async () => (await rows(left, [message.id])).length === 0, { timeout: 30_000 });
      const steps = await rows<{ count: number }>(
        `SELECT json_array_length(data -> 'ids') AS count FROM log_entries
         WHERE stream_id = $1 AND event = 'notification:deleted' ORDER BY seq`,
        [alice.id],
      );
      expect(steps.map(({ count }) => count)).to.deep.equal([1000, 1000, 501]);
    });
    here.close();
  });
});
