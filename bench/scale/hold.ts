import { costOf } from '../cost.ts';
import { Fleet } from '../fleet/fleet.ts';
import { monotonic } from '../fleet/orders.ts';
import { pause } from '../load.ts';
import { parley, type Subject } from '../subject.ts';
import { warmUp } from './arrivals.ts';
import { atOnce, on, type Part, portsOf } from './part.ts';

const rooms = 5;
const calmMs = 3000;
/** How long a node is given to tell everybody who came. */
const settleMs = 2000;
const lag = 'parley_nodejs_eventloop_lag_p99_seconds';

/** The p99 of the event loop since this was last asked, in ms: the node forgets it with each answer. */
const lagOf = async ({ first }: Subject) => ((await first.metrics()).get(lag) ?? 0) * 1000;

export const hold: Part = {
  name: 'hold',
  about: `One process holds so many authenticated sockets of different people, each in ${rooms} rooms of one server.`,
  people: 50_000,
  run: (people, row) =>
    on(parley({ channels: rooms, people }), async (subject) => {
      const fleet = new Fleet();
      try {
        const { first, tokens, channels } = subject;
        await warmUp(subject);
        const [heap, resident] = [await first.memory(), first.resident()];
        await lagOf(subject);
        const started = monotonic();
        let seconds = 0;
        const cost = await costOf(subject, async () => {
          await fleet.open({ ports: portsOf(subject), tokens, channels, atOnce });
          seconds = (monotonic() - started) / 1000;
          await pause(settleMs);
        });
        const connecting = await lagOf(subject);
        const { ready, bytes, refused } = await fleet.tally();
        const calm = await costOf(subject, () => pause(calmMs));
        row(`${people} people connect, ${atOnce} at once`, {
          'in their rooms': ready,
          refused,
          'connects/s': people / seconds,
          'CPU of the node a connect (µs)': cost.nodes / people,
          'CPU of PostgreSQL a connect (µs)': cost.postgres / people,
          'KiB to each client': bytes / people / 1024,
          'event loop p99 (ms)': connecting,
        });
        row(`${people} people are there`, {
          'heap a socket (KiB)': ((await first.memory()) - heap) / people,
          'resident a socket (KiB)': ((first.resident() - resident) * 1024) / people,
          'CPU of the node (%)': calm.nodes / calmMs / 10,
          'CPU of PostgreSQL (%)': calm.postgres / calmMs / 10,
          'event loop p99 (ms)': await lagOf(subject),
        });
      } finally {
        await fleet.stop();
      }
    }),
};
