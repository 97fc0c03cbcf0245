import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { timed } from './load.ts';
import type { Scenario, Side } from './scenario.ts';
import { BenchServer } from './server.ts';

const allowedSeconds = 2;
const figure = 'ready after';

/** As `npm start` does it: with a PostgreSQL of its own, on a data folder that is there already. */
async function parley(): Promise<Side> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
  const environment = { DATA_DIR: folder, DATABASE_URL: '', NODE_COMPILE_CACHE: path.join(folder, 'compiled') };
  const start = () => BenchServer.start('src/main.ts', environment);
  const first = await start();
  await first.stop();
  return {
    async measure() {
      let server: BenchServer | undefined;
      const ms = await timed(async () => {
        server = await start();
      });
      await server?.stop();
      return { [figure]: ms / 1000 };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** There is nothing to compare it with but what it may take. */
export const secondStart: Scenario = {
  name: 'start to ready with the embedded PostgreSQL, second start',
  figure,
  unit: 's',
  better: 'smaller',
  goal: 1,
  sides: [async () => ({ measure: async () => ({ [figure]: allowedSeconds }), close: async () => {} }), parley],
};
