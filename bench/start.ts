import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { timed } from './load.ts';
import { type Stage, stage } from './scenario.ts';
import { BenchServer } from './server.ts';

const allowedSeconds = 2;
const figure = 'ready after';

/** One that is ready after so long. */
interface Start {
  seconds(): Promise<number>;
  stop(): Promise<void>;
}

/** There is nothing to compare it with but what it may take. */
const allowed = async (): Promise<Start> => ({ seconds: async () => allowedSeconds, stop: async () => {} });

/** As `npm start` does it: with a PostgreSQL of its own, on a data folder that is there already. */
async function parley(): Promise<Start> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
  const environment = { DATA_DIR: folder, DATABASE_URL: '', NODE_COMPILE_CACHE: path.join(folder, 'compiled') };
  const start = () => BenchServer.start('src/main.ts', environment);
  const first = await start();
  await first.stop();
  return {
    async seconds() {
      let server: BenchServer | undefined;
      const ms = await timed(async () => {
        server = await start();
      });
      await server?.stop();
      return ms / 1000;
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}

export const secondStart: Stage = stage(
  [allowed, parley],
  [
    {
      name: 'start to ready with the embedded PostgreSQL, second start',
      figure,
      unit: 's',
      better: 'smaller',
      goal: 1,
      rounds: 3,
      prepare: async (start) => ({ measure: async () => ({ [figure]: await start.seconds() }), close: () => {} }),
    },
  ],
);
