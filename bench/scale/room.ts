import { Fleet } from '../fleet/fleet.ts';
import { Sender } from '../fleet/sender.ts';
import { medians, pause } from '../load.ts';
import { baseline, parley, type Subject } from '../subject.ts';
import { atOnce, on, type Part, portsOf, type Row } from './part.ts';

const messages = 12;
const betweenMs = 1000;
const pauseMs = 20_000;
/** The longest time for a message to reach everybody. */
const arrivalMs = 10_000;

export const room: Part = {
  name: 'room',
  about: 'A message to a room that everybody is in: from the send to the ack, to the first and to the last who has it.',
  people: 10_000,
  async run(people, row) {
    const options = { channels: 1, people };
    await on(baseline('stock', options), (subject) => measure('stock Socket.IO', subject, people, row));
    await on(parley(options), (subject) => measure('Parley', subject, people, row));
  },
};

async function measure(name: string, subject: Subject, people: number, row: Row): Promise<void> {
  const fleet = new Fleet();
  try {
    const [channelId = ''] = subject.channels;
    await fleet.open({ ports: portsOf(subject), tokens: subject.tokens, channels: [channelId], atOnce });
    await fleet.watch();
    await pause(pauseMs);
    const sender = new Sender(subject, channelId);
    await sender.send();
    await pause(arrivalMs);
    for (let i = 1; i < messages; i++) {
      await sender.send();
      await pause(betweenMs);
    }
    await pause(arrivalMs);
    const arrivals = await fleet.arrivals();
    const [first, ...others] = sender.sent.map(({ number, at, ackedAt }) => {
      const arrival = arrivals.get(number);
      return {
        'ack (ms)': ackedAt - at,
        'first has it (ms)': (arrival?.first ?? Number.NaN) - at,
        'last has it (ms)': (arrival?.last ?? Number.NaN) - at,
        'of people': arrival?.clients ?? 0,
      };
    });
    if (first) row(`${name}, ${people} people, after ${pauseMs / 1000} s of silence`, first);
    row(`${name}, ${people} people, once a second, median`, medians(others));
  } finally {
    await fleet.stop();
  }
}
