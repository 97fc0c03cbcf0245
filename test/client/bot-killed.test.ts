import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { until } from '../rig/until.ts';
import { type Bot, botIn } from '../world/bot.ts';
import type { Loose } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const program = path.join(import.meta.dirname, 'mortal-bot.ts');
const day = 24 * 60 * 60 * 1000;

/** One life of the bot. */
interface Life {
  child: ChildProcess;
  /** How it ended: code and signal. */
  end: Promise<unknown[]>;
  /** The interactions that came to a step, in order. */
  at(step: string): string[];
}

/** A use, and the message that was used. */
interface Use {
  id: string;
  messageId: string;
}

describe('the helper for bots, as a program that is killed', () => {
  let here: World;
  let robot: Bot;
  let folder: string;
  let lives: Life[] = [];

  before(async () => {
    here = await world();
    folder = await mkdtemp(path.join(tmpdir(), 'parley-mortal-'));
  });
  beforeEach(async () => {
    robot = await botIn(here.server, here.alice);
  });
  afterEach(async () => {
    for (const { child, end } of lives.splice(0)) {
      child.kill('SIGKILL');
      await end;
    }
    lives = [];
  });
  after(async () => {
    here.close();
    await rm(folder, { recursive: true, force: true });
  });

  function begin(more: Record<string, string> = {}): Life {
    const PARLEY_STORE = path.join(folder, `${robot.username}.json`);
    const env = { ...process.env, PARLEY_URL: robot.node.url, PARLEY_TOKEN: robot.token, PARLEY_STORE, ...more };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const lines = () => output.split('\n').map((line) => line.split(' '));
    const at = (step: string) => lines().flatMap(([name, id]) => (name === step ? [id ?? ''] : []));
    const life = { child, end: once(child, 'close'), at };
    lives.push(life);
    return life;
  }

  const reaches = (life: Life, step: string, uses: Use[]) =>
    until(() => uses.every(({ id }) => life.at(step).includes(id)), { timeout: 60_000, message: `not all ${step}` });

  /** From its first life on, a bot knows where it was. */
  async function born(more: Record<string, string> = {}): Promise<Life> {
    const life = begin(more);
    await until(() => life.at('ready').length > 0, { timeout: 60_000, message: 'it is not there' });
    return life;
  }

  async function stopped(life: Life): Promise<void> {
    life.child.kill('SIGTERM');
    expect(await life.end).to.deep.equal([0, null]);
  }

  async function press(componentId = 'go'): Promise<Use> {
    const items = [{ type: 'button', id: componentId, label: 'Press' }];
    const { id: messageId } = await robot.say(here.channel.id, 'Well?', { components: { items } });
    const { status, body } = await here.bob.post(`/api/messages/${messageId}/uses`, { componentId });
    expect(status).to.equal(201);
    return { id: body.id, messageId };
  }
  const pressMany = (): Promise<Use[]> => Promise.all([press(), press(), press()]);

  /** How often each of them was answered, for all and for the one alone. */
  async function answersTo(uses: Use[]): Promise<number[][]> {
    const { messages }: Loose = (await here.bob.get(`/api/channels/${here.channel.id}/messages?limit=100`)).body;
    const alone: Loose[] = (await here.bob.get('/api/auth/me/ephemerals')).body;
    return uses.map(({ id, messageId }) => [
      messages.filter(({ replyToId }: Loose) => replyToId === messageId).length,
      alone.filter(({ interactionId }) => interactionId === id).length,
    ]);
  }

  const steps = {
    arrived: 'before it has handled what came',
    begun: 'after it has handled it, before it answers',
    replied: 'between two answers',
    answered: 'after it has answered, before it keeps how far it is',
  };
  for (const [step, when] of Object.entries(steps)) {
    it(`answers each use once in the end when it dies ${when}`, async () => {
      const dying = await born({ DIES_AT: step });
      const uses = await pressMany();
      expect(await dying.end).to.deep.equal([null, 'SIGKILL']);
      const again = begin();
      await reaches(again, 'answered', uses);
      expect(await answersTo(uses)).to.deep.equal([
        [1, 1],
        [1, 1],
        [1, 1],
      ]);
      await stopped(again);
      const last = begin();
      const next = await press();
      await reaches(last, 'answered', [next]);
      expect(last.at('arrived')).to.deep.equal([next.id]);
      expect(await answersTo([...uses, next])).to.deep.equal([
        [1, 1],
        [1, 1],
        [1, 1],
        [1, 1],
      ]);
    });
  }

  it('goes on after what ended it by an error that nobody listens for', async () => {
    const failing = await born();
    await press('fail');
    expect(await failing.end).to.deep.equal([1, null]);
    const again = begin();
    const next = await press();
    await reaches(again, 'answered', [next]);
    expect(again.at('arrived')).to.deep.equal([next.id]);
    await stopped(again);
  });

  it('does nothing about what it is too late for by the clock of the server, whatever its own says', async () => {
    await stopped(await born());
    const [late, current] = [await press(), await press()];
    await query(here.cluster.databaseUrl, 'UPDATE interactions SET ends_at = now() WHERE id = $1', [late.id]);
    const ahead = begin({ CLOCK_AHEAD: String(2 * day) });
    await reaches(ahead, 'answered', [current]);
    await stopped(ahead);
    expect(ahead.at('arrived')).to.deep.equal([late.id, current.id]);
    expect(ahead.at('begun')).to.deep.equal([current.id]);
  });
});
