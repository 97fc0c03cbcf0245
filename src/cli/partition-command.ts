import { type Progress, partitionMessages } from '../database/moves/partition-messages.ts';
import type { Command } from './command.ts';

const reportMs = 10_000;

/** Divides the table of messages while the server runs (docs/scaling.md). */
export const partitionCommand: Command = {
  usage: 'partition-messages',
  summary: 'divide the table of messages into partitions while the server runs; for millions of messages',
  async run({ database, print }) {
    let reported = performance.now();
    const report = ({ phase, moved }: Progress) => {
      if (performance.now() - reported < reportMs) return;
      reported = performance.now();
      print(phase === 'waiting' ? 'waiting for an older transaction to end' : `${phase}: ${moved} messages`);
    };
    const outcome = await partitionMessages(database.url, report);
    print(sentences[outcome]);
  },
};

const sentences = {
  done: 'The table of messages is partitioned.',
  'was done': 'The table of messages is partitioned already.',
  elsewhere: 'This is being done by another run of the command.',
};
