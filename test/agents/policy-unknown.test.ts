// nodes: own

import { expect } from 'chai';
import { type Bot, botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('a bot whose new policy cannot be looked up', () => {
  let cluster: Cluster;
  let here: World;
  let robot: Bot;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
    robot = await botIn(here.server, here.alice);
  });
  after(async () => {
    robot.hangUp();
    here.close();
    await cluster.stop();
  });

  const execute = (statement: string) => withRows(cluster.databaseUrl, (rows) => rows(statement));

  it('hears nothing that is in no log until it can', async () => {
    const { alice, bob, channel } = here;
    const ear = await robot.listen(channel.id);
    const mouth = await bob.listen(channel.id);
    const type = () => mouth.emit('message:typing', { channelId: channel.id, typing: true });
    const call = async () => {
      const { id } = await bob.say(channel.id, `@${robot.username}`);
      await ear.next('message:new', (message) => message.id === id);
    };
    await type();
    await ear.next('message:typing');
    // From the commit of the policy on, what is asked next fails.
    await execute(`CREATE FUNCTION vanish() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN ALTER TABLE agents RENAME TO vanished; RETURN NULL; END $$`);
    await execute('CREATE TRIGGER vanish AFTER INSERT ON agent_policies EXECUTE FUNCTION vanish()');
    const path = `/api/channels/${channel.id}/agents/${robot.agentId}/policy`;
    expect((await alice.put(path, { mode: 'replyAll' })).status).to.equal(200);
    await type();
    await execute('DROP FUNCTION vanish CASCADE');
    await execute('ALTER TABLE vanished RENAME TO agents');
    await call();
    expect(ear.all('message:typing')).to.have.length(1);
    await type();
    await ear.next('message:typing', () => ear.all('message:typing').length === 2);
  });
});
