import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type World, world } from '../world/world.ts';

describe('the bot of the examples', () => {
  let here: World;
  let program: ChildProcess | undefined;

  before(async () => {
    here = await world();
  });
  after(async () => {
    here.close();
    if (program?.exitCode === null) {
      program.kill();
      await once(program, 'exit');
    }
  });

  it('answers whoever mentions it', async () => {
    const { alice, bob, channel, server } = here;
    const robot = await botIn(server, alice);
    const file = path.resolve(import.meta.dirname, '../../examples/echo-bot.ts');
    const env = { ...process.env, PARLEY_URL: bob.node.url, PARLEY_TOKEN: robot.token, PARLEY_NAME: robot.username };
    program = spawn(process.execPath, [file], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    const ear = await bob.listen(channel.id);
    await bob.say(channel.id, 'nothing for bots');
    // It takes the bot a moment to be there; nobody knows when.
    const asked = new Set<string>();
    const answer = await until(
      async () => {
        asked.add((await bob.say(channel.id, `@${robot.username} is anybody there?`)).id);
        return ear.all('message:new').find((message) => message.authorId === robot.id);
      },
      { timeout: 60_000, message: 'no answer' },
    );
    expect(answer.content).to.equal('is anybody there?');
    expect([...asked]).to.include(answer.replyToId);
  });
});
