import { writeSync } from 'node:fs';
import { FileStore } from '../../src/client/file-store.ts';
import { Bot } from '../../src/client/index.ts';

/*
 * A bot as a program of its own, which says on its output how far it is. At the step in DIES_AT it dies so abruptly that it
 * keeps nothing more.
 */
const { PARLEY_URL: url = '', PARLEY_TOKEN: token = '', PARLEY_STORE: store = '', DIES_AT, CLOCK_AHEAD } = process.env;

const now = Date.now;
Date.now = () => now() + Number(CLOCK_AHEAD ?? 0);

function step(name: string, id = ''): void {
  writeSync(1, `${name} ${id}\n`);
  if (name === DIES_AT) process.kill(process.pid, 'SIGKILL');
}

const bot = new Bot({ url, token, store: new FileStore(store) });
bot.parley.on('interaction:created', ({ id }) => step('arrived', id));
bot.button('go', async (turn) => {
  const { id } = turn.interaction;
  step('begun', id);
  await turn.reply('Done.');
  step('replied', id);
  await turn.ephemeral('Only you see this.');
  step('answered', id);
});
bot.button('fail', () => {
  throw new Error('no idea');
});
process.once('SIGTERM', () => void bot.stop());
await bot.start();
step('ready');
